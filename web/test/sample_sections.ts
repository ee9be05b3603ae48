/** Sections made by hand: several ranks, rooflines, transfer plots, what is absent, and hostile names. */
import type { Category, Copies, Kernels, Modules, Roofline, Steps, TransferPlot } from '../src/data/format.ts';

export const kHostileNames = [
  '<img src=x onerror="document.title=1">',
  '</script><script>document.title=1</script>',
  'z'.repeat(10_000),
  '\u202egnp.exe \u2066right to left',
  '[CallBack] 순전파 計算 öğe 👩‍👩‍👧‍👦',
];

/** Numbers between 0 and 1, the same in each run. */
export function randoms(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface ModuleSpec {
  name: string;
  self_ns: number;
  children?: ModuleSpec[];
}

const layer = (index: number, scale: number): ModuleSpec => ({
  name: `model.layers.${index}`,
  self_ns: 40_000 * scale,
  children: [
    { name: 'input_layernorm', self_ns: 210_000 * scale },
    {
      name: 'self_attn',
      self_ns: 30_000 * scale,
      children: [
        { name: 'q_proj', self_ns: 900_000 * scale },
        { name: 'k_proj', self_ns: 420_000 * scale },
        { name: 'v_proj', self_ns: 410_000 * scale },
        { name: 'sdpa', self_ns: (index === 3 ? 2_900_000 : 1_300_000) * scale },
        { name: 'o_proj', self_ns: 880_000 * scale },
      ],
    },
    { name: 'post_attention_layernorm', self_ns: 205_000 * scale },
    {
      name: 'mlp',
      self_ns: 0,
      children: [
        { name: 'gate_proj', self_ns: 1_900_000 * scale },
        { name: 'act_fn', self_ns: 500_000 * scale },
        { name: 'down_proj', self_ns: 1_800_000 * scale },
      ],
    },
  ],
});

function sampleTree(scale: number): ModuleSpec[] {
  const layers = Array.from({ length: 8 }, (_, i) => layer(i, scale));
  const narrow = Array.from({ length: 400 }, (_, i): ModuleSpec => ({
    name: `parameter_group.${i}.step`,
    self_ns: 900 + i,
  }));
  const hostile = kHostileNames.map((name): ModuleSpec => ({ name, self_ns: 300_000 }));
  return [
    {
      name: 'train_step',
      self_ns: 700_000,
      children: [
        { name: 'data.next', self_ns: 0 },
        { name: 'forward', self_ns: 100_000, children: [{ name: 'embed_tokens', self_ns: 500_000 }, ...layers] },
        { name: 'loss', self_ns: 800_000 },
        { name: 'optimizer.step', self_ns: 2_500_000, children: narrow },
      ],
    },
    { name: 'validation', self_ns: 200_000, children: hostile },
  ];
}

const kRanks = 4;

export function sampleModules(options: { scale?: number; ranks?: boolean; measured?: boolean } = {}): Modules {
  const { scale = 1, ranks = true, measured = true } = options;
  const modules = emptyModules();
  let now = 1_000_000;
  const add = (spec: ModuleSpec, parent: number): number => {
    const row = modules.name.length;
    const start = now;
    pushModule(modules, spec, parent, start);
    now += spec.self_ns;
    const inside = (spec.children ?? []).reduce((sum, child) => sum + add(child, row), 0);
    finishModule(modules, row, spec.self_ns + inside, now);
    return spec.self_ns + inside;
  };
  const device_ns = sampleTree(scale).reduce((sum, spec) => sum + add(spec, -1), 0);
  sumsOfModules(modules, device_ns);
  if (ranks) modules.device_by_rank_ns = sampleRanks(modules);
  if (measured) modules.measured = sampleMeasured(modules);
  return modules;
}

const emptyModules = (): Modules => ({
  name: [],
  domain: [],
  parent: [],
  calls: [],
  host_ns: [],
  host_self_ns: [],
  device_self_ns: [],
  device_total_ns: [],
  idle_ns: [],
  launches: [],
  kernels: [],
  copies: [],
  copy_bytes: [],
  peak_bytes: [],
  first_ns: [],
  longest_start_ns: [],
  longest_end_ns: [],
  device_by_rank_ns: null,
  outside: { device_ns: 0, idle_ns: 0, launches: 0 },
  whole: { device_ns: 0, idle_ns: 0, launches: 0 },
  measured: null,
});

function pushModule(modules: Modules, spec: ModuleSpec, parent: number, start: number): void {
  modules.name.push(spec.name);
  modules.domain.push(spec.name === 'loss' ? 'training' : '');
  modules.parent.push(parent);
  modules.calls.push(20);
  modules.device_self_ns.push(spec.self_ns);
  modules.host_self_ns.push(Math.round(spec.self_ns / 3) + 2000);
  modules.peak_bytes.push(parent < 0 ? 31_000_000_000 : null);
  modules.first_ns.push(start);
  modules.longest_start_ns.push(start);
}

/** Children are there already: they were pushed behind this row. */
function finishModule(modules: Modules, row: number, total_ns: number, end: number): void {
  const children = modules.name.map((_, i) => i).filter((i) => modules.parent[i] === row);
  const below = (column: (number | null)[]) => children.reduce((sum, child) => sum + (column[child] ?? 0), 0);
  const self = modules.device_self_ns[row]!;
  modules.device_total_ns[row] = total_ns;
  modules.host_ns[row] = modules.host_self_ns[row]! + below(modules.host_ns);
  modules.idle_ns[row] =
    (modules.name[row] === 'data.next' ? 9_000_000 : Math.round(self / 12)) + below(modules.idle_ns);
  modules.launches[row] = 20 + below(modules.launches);
  modules.kernels[row] = 20 + below(modules.kernels);
  modules.copies[row] = (modules.name[row] === 'data.next' ? 40 : 0) + below(modules.copies);
  modules.copy_bytes[row] = modules.copies[row]! * 25_165_824;
  modules.longest_end_ns[row] = end;
}

function sumsOfModules(modules: Modules, device_ns: number): void {
  const top = (column: number[]) => column.reduce((sum, value, row) => sum + (modules.parent[row]! < 0 ? value : 0), 0);
  modules.outside = { device_ns: Math.round(device_ns / 9), idle_ns: 4_000_000, launches: 120 };
  modules.whole = {
    device_ns: device_ns + modules.outside.device_ns,
    idle_ns: top(modules.idle_ns) + modules.outside.idle_ns,
    launches: top(modules.launches) + modules.outside.launches,
  };
}

/** Rank 2 has more to do in attention. */
function sampleRanks(modules: Modules): number[][] {
  return Array.from({ length: kRanks }, (_, rank) =>
    modules.name.map((name, row) => {
      const uneven = name === 'sdpa' || name === 'self_attn' ? (rank === 2 ? 1.5 : 0.8333) : 1;
      return Math.round((modules.device_total_ns[row]! / kRanks) * uneven);
    }),
  );
}

function sampleMeasured(modules: Modules): NonNullable<Modules['measured']> {
  const random = randoms(7);
  const leaf = modules.name.map((_, row) => !modules.parent.includes(row) && modules.device_self_ns[row]! > 200_000);
  const bytes = modules.device_self_ns.map((ns, row) =>
    leaf[row] ? Math.round(ns * 2100 * (0.8 + 0.4 * random())) : null,
  );
  const rows = leaf.flatMap((is, row) => (is ? [row] : []));
  const some = (value: (row: number) => number) => modules.name.map((_, row) => (leaf[row] ? value(row) : null));
  return {
    matched_percent: 93.2,
    says: '93.2 % of the kernel time was matched to what Nsight Compute measured.',
    dram_bytes: bytes,
    l2_bytes: bytes.map((value) => (value === null ? null : 3 * value)),
    occupancy_percent: some(() => 20 + 70 * random()),
    compute_percent: some(() => 90 * random()),
    memory_percent: some(() => 90 * random()),
    flop_per_byte: some(() => 200 * random()),
    bound: modules.name.map((_, row) => (leaf[row] ? (row % 2 ? 'memory' : 'compute') : null)),
    transfer: [transferOf('DRAM', modules, rows, bytes, 1), transferOf('L2', modules, rows, bytes, 3)],
  };
}

function transferOf(
  memory: string,
  modules: Modules,
  rows: number[],
  bytes: (number | null)[],
  scale: number,
): TransferPlot {
  return {
    memory,
    module: rows,
    bytes: rows.map((row) => bytes[row]! * scale),
    ns: rows.map((row) => modules.device_self_ns[row]!),
    line: { slope_ns_per_byte: 1 / (2100 * scale), intercept_ns: 18_000, r2: 0.93 },
    measured_percent: 62.5,
    bytes_per_s: 2.1e12 * scale,
  };
}

const kKernelNames: [name: string, category: Category][] = [
  [
    'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
    'matrix',
  ],
  [
    'void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t>>(Flash_fwd_params)',
    'attention',
  ],
  [
    'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char *, 3>>(int, T2, T3)',
    'elementwise',
  ],
  ['ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'communication'],
  ['void at::native::<unnamed>::cunn_SoftMaxForward<8, float, float, float>(T2 *, const T2 *, int)', 'softmax'],
  ['my_kernel(float *)', 'kernel'],
];

export function sampleKernels(options: { scale?: number; counters?: boolean; rows?: number } = {}): Kernels {
  const { scale = 1, counters = true, rows = 40 } = options;
  const random = randoms(11);
  const names = Array.from({ length: rows }, (_, row): [string, Category] =>
    row < 24
      ? kKernelNames[row % kKernelNames.length]!
      : [kHostileNames[row % 5]! + (row < 30 ? '' : row), 'elementwise'],
  );
  const total = names.map((_, row) => (row === 38 ? null : Math.round((90_000_000 * scale) / (row + 1) ** 1.3)));
  const count = names.map((_, row) => 20 * (1 + (row % 7)));
  const average = total.map((ns, row) => (ns === null ? null : Math.round(ns / count[row]!)));
  const column = (value: (row: number) => number) => names.map((_, row) => (row % 9 === 8 ? null : value(row)));
  const dram = column(() => Math.round(1e9 * random()));
  return {
    measured: false,
    name: names.map(([name]) => name),
    short_name: names.map(([name]) => name.slice(0, 40)),
    category: names.map(([, category]) => category),
    grid: names.map((_, row) => (row % 9 === 8 ? null : `${128 * (1 + (row % 4))} x 1 x 1`)),
    block: names.map((_, row) => (row % 9 === 8 ? null : '256 x 1 x 1')),
    registers: column((row) => 32 + row),
    shared_bytes: column((row) => 1024 * row),
    count,
    total_ns: total,
    average_ns: average,
    minimum_ns: average.map((ns) => (ns === null ? null : Math.round(0.8 * ns))),
    maximum_ns: average.map((ns) => (ns === null ? null : Math.round(1.9 * ns))),
    theoretical_occupancy_percent: column(() => 25 + 75 * random()),
    longest_start_ns: names.map((_, row) => (row === 38 ? null : 2_000_000 + 50_000 * row)),
    longest_end_ns: names.map((_, row) => (row === 38 ? null : 2_040_000 + 50_000 * row)),
    counters: counters
      ? {
          dram_bytes: dram,
          l2_bytes: dram.map((bytes) => (bytes === null ? null : 4 * bytes)),
          compute_percent: column(() => 95 * random()),
          memory_percent: column(() => 95 * random()),
          occupancy_percent: column(() => 90 * random()),
          flop: column(() => Math.round(1e12 * random())),
          bound: names.map((_, row) => (row % 9 === 8 ? null : row % 2 ? 'memory' : 'compute')),
        }
      : null,
    rooflines: counters
      ? [
          sampleRoofline('FP32', 6.7e13, names.length, random),
          sampleRoofline('tensor fp16_dst_fp32', 9.9e14, names.length, random),
        ]
      : [],
  };
}

function sampleRoofline(arithmetic: string, flop_per_s: number, rows: number, random: () => number): Roofline {
  const bytes_per_s = 3.35e12;
  const points = Array.from({ length: rows }, (_, kernel) => {
    const flop_per_byte = 10 ** (-1 + 4 * random());
    const roof = Math.min(flop_per_s, bytes_per_s * flop_per_byte);
    const part = 0.02 + 0.9 * random();
    return { kernel, flop_per_byte, flop_per_s: roof * part, percent_of_roof: kernel === 3 ? null : 100 * part };
  });
  return { gpu: 'NVIDIA H100 80GB HBM3', arithmetic, flop_per_s, bytes_per_s, points };
}

interface CopyRow {
  place: string;
  direction: string;
  category: Category;
  source: string | null;
  destination: string | null;
  bytes: number | null;
  count: number;
  rate: number;
}

const copyRow = (part: Partial<CopyRow>): CopyRow => ({
  place: 'GPU 0',
  direction: 'Host-to-Device',
  category: 'copy_h2d',
  source: 'pageable',
  destination: 'device',
  bytes: 25_165_824,
  count: 38,
  rate: 9.02e9,
  ...part,
});

const kCopyRows: CopyRow[] = [
  copyRow({}),
  copyRow({ place: 'GPU 1', source: 'pinned', rate: 24.6e9 }),
  copyRow({ bytes: 4_194_304, source: 'pinned', count: 400, rate: 23.1e9 }),
  copyRow({ bytes: 65_536, source: 'pinned', count: 900, rate: 11e9 }),
  copyRow({ bytes: 64, count: 4000, rate: 4e7 }),
  copyRow({ bytes: 8, count: 12, rate: 5e6, source: null }),
  copyRow({
    direction: 'Device-to-Host',
    category: 'copy_d2h',
    source: 'device',
    destination: 'pinned',
    bytes: 8_400_000,
    count: 40,
    rate: 51.5e9,
  }),
  copyRow({
    direction: 'Device-to-Host',
    category: 'copy_d2h',
    source: 'device',
    destination: 'pageable',
    bytes: 4,
    count: 800,
    rate: 2.4e6,
  }),
  copyRow({
    direction: 'Device-to-Device',
    category: 'copy_d2d',
    source: 'device',
    bytes: 268_435_456,
    count: 60,
    rate: 1.3e12,
  }),
  copyRow({
    direction: 'Peer-to-Peer',
    category: 'copy_p2p',
    source: 'device',
    bytes: 33_554_432,
    count: 100,
    rate: 3.2e11,
  }),
  copyRow({
    direction: 'Unified Host-to-Device',
    category: 'copy',
    source: null,
    destination: null,
    bytes: null,
    count: 2,
    rate: 1e10,
  }),
  copyRow({ bytes: 0, count: 3 }),
];

export function sampleCopies(options: { scale?: number } = {}): Copies {
  const { scale = 1 } = options;
  const time = kCopyRows.map((row) => Math.round(((row.bytes ?? 2e5) * row.count * scale * 1e9) / row.rate) + 1000);
  return {
    place: kCopyRows.map((row) => row.place),
    direction: kCopyRows.map((row) => row.direction),
    category: kCopyRows.map((row) => row.category),
    source: kCopyRows.map((row) => row.source),
    destination: kCopyRows.map((row) => row.destination),
    bytes: kCopyRows.map((row) => row.bytes),
    count: kCopyRows.map((row) => row.count),
    total_ns: time,
    minimum_ns: time.map((ns, i) => Math.round((0.8 * ns) / kCopyRows[i]!.count)),
    maximum_ns: time.map((ns, i) => Math.round((1.6 * ns) / kCopyRows[i]!.count)),
    longest_start_ns: time.map((_, i) => 5_000_000 + 100_000 * i),
    longest_end_ns: time.map((ns, i) => 5_000_000 + 100_000 * i + Math.round(ns / kCopyRows[i]!.count)),
  };
}

export function sampleSteps(options: { scale?: number; ranks?: number; count?: number; warm_up?: number } = {}): Steps {
  const { scale = 1, ranks = kRanks, count = 60, warm_up = 3 } = options;
  return {
    range: 'train_step',
    warm_up,
    ranks: Array.from({ length: ranks }, (_, rank) => {
      const random = randoms(100 + rank);
      let now = 900_000_000;
      const length_ns = Array.from({ length: count }, (_, step) =>
        Math.round(
          21_000_000 *
            scale *
            (1 + 0.04 * rank + 0.06 * random()) *
            (step === 17 || (rank === 1 && step === 40) ? 1.8 : 1),
        ),
      );
      const start_ns = length_ns.map((ns) => {
        const start = now;
        now += ns;
        return start;
      });
      return {
        rank,
        start_ns,
        end_ns: start_ns.map((start, i) => start + length_ns[i]!),
        gpu_busy_ns: length_ns.map((ns) => Math.round(Math.min(ns, 21_000_000 * scale) * (0.7 + 0.1 * random()))),
        kernels: length_ns.map(() => 1203),
        launches: length_ns.map(() => 812),
        copy_bytes: length_ns.map(() => 50_331_648),
      };
    }),
  };
}

const kCountColumns = [
  'calls',
  'host_ns',
  'host_self_ns',
  'device_self_ns',
  'idle_ns',
  'launches',
  'kernels',
  'copies',
  'copy_bytes',
  'longest_start_ns',
  'longest_end_ns',
] as const;

/** A wide and deep tree in random order: parents before children. */
export function largeModules(count: number): Modules {
  const random = randoms(5);
  const parent = Array.from({ length: count }, (_, row) =>
    row < 10 ? -1 : Math.floor(random() * Math.min(row, 4000)),
  );
  const total = parent.map(() => 1000 * random());
  for (let row = count - 1; row >= 0; --row) if (parent[row]! >= 0) total[parent[row]!]! += total[row]!;
  const columns = Object.fromEntries(kCountColumns.map((name) => [name, parent.map((_, row) => row % 100)])) as Pick<
    Modules,
    (typeof kCountColumns)[number]
  >;
  return {
    ...sampleModules({ ranks: false, measured: false }),
    name: parent.map((_, row) => `module ${row % 977}`),
    domain: parent.map(() => ''),
    parent,
    peak_bytes: parent.map(() => null),
    device_total_ns: total,
    ...columns,
    first_ns: parent.map((_, row) => row),
  };
}
