/** Marks of points. Shapes differ so that colour is not the only sign. */
export type Shape = 'circle' | 'triangle' | 'diamond' | 'square';

export function shapePath(shape: Shape, x: number, y: number, r: number): string {
  switch (shape) {
    case 'circle':
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    case 'triangle':
      return polygon(x, y, r * 1.25, [-90, 30, 150]);
    case 'diamond':
      return polygon(x, y, r * 1.25, [-90, 0, 90, 180]);
    case 'square':
      return polygon(x, y, r * 1.25, [-135, -45, 45, 135]);
  }
}

function polygon(x: number, y: number, r: number, degrees: readonly number[]): string {
  const corners = degrees.map((degree) => {
    const angle = (degree * Math.PI) / 180;
    return `${(x + r * Math.cos(angle)).toFixed(2)} ${(y + r * Math.sin(angle)).toFixed(2)}`;
  });
  return `M${corners.join('L')}z`;
}
