"""cuda_gpu_kern_occ_sum, computed a second time: places blocks on an empty SM one by one until one does not fit.

Numbers by compute capability: NVIDIA's libcu++ (cuda/__device/arch_traits.h). Values in the recording override them.
"""

from collections import namedtuple
from fractions import Fraction

from tables import Report, cell, dimensions, grouped, percent, rounded

Launch = namedtuple("Launch", "name grid block registers shared carve_out cluster gpu")
Gpu = namedtuple("Gpu", "major minor sms warps blocks registers shared optin threads")

# (warps of an SM, blocks of an SM, shared memory of an SM in KiB)
BY_CAPABILITY = {(7, 0): (64, 32, 96), (7, 2): (64, 32, 96), (7, 5): (32, 16, 64), (8, 0): (64, 32, 164),
                 (8, 6): (48, 16, 100), (8, 7): (48, 16, 164), (8, 8): (48, 16, 100), (8, 9): (48, 24, 100),
                 (9, 0): (64, 32, 228), (10, 0): (64, 32, 228), (10, 3): (64, 32, 228), (11, 0): (48, 24, 228),
                 (12, 0): (48, 24, 100), (12, 1): (48, 24, 100)}
CARVE_OUTS = [kib * 1024 for kib in (8, 16, 32, 64, 96, 100, 132, 164, 196, 228)]
HEADER = ("Time (%),Total Time (ns),Instances,Occupancy (%),Bound,Limiter,Blocks/SM,Warps/SM,Waves/SM,Tail (%),Reg/Trd,"
          "SMem/Block (bytes),SMem/SM (bytes),GridXYZ,BlockXYZ,Name").split(",")


def gpu_of(major, minor, sms=None, warps=None, blocks=None, registers=None, shared=None, optin=None, threads=None,
           warp_size=None):
    """None where the GPU is not in the table or not NVIDIA's."""
    known = BY_CAPABILITY.get((major, minor))
    if known is None or (warp_size or 32) != 32:
        return None
    driver = 0 if major < 8 else 1024
    return Gpu(major, minor, sms or None, warps or known[0], blocks or known[1], registers or 65536,
               shared or known[2] * 1024, optin or known[2] * 1024 - driver, threads or 1024)


def product(shape):
    if shape is None or None in shape or 0 in shape:
        return None
    return shape[0] * shape[1] * shape[2]


class Sm:
    """Room that is left on one SM."""

    def __init__(self, launch):
        gpu = launch.gpu
        self.block_warps = len(range(0, product(launch.block), 32))
        granules = len(range(0, launch.registers * 32, 256))
        quarter = gpu.registers // 4
        self.register_slots = None if granules == 0 else 4 * (quarter // (granules * 256))
        self.warp_slots, self.block_slots = gpu.warps, gpu.blocks
        size, driver = (256, 0) if gpu.major == 7 else (128, 1024)
        self.block_bytes = len(range(0, launch.shared + driver, size)) * size
        self.bytes = launch.carve_out or gpu.shared
        if self.block_bytes > self.bytes:
            self.bytes = next((known for known in CARVE_OUTS if known >= self.block_bytes), gpu.shared)
        self.fits_at_all = product(launch.block) <= gpu.threads and launch.shared <= gpu.optin

    def missing(self):
        """What a further block lacks."""
        lacks = []
        if self.register_slots is not None and self.register_slots < self.block_warps:
            lacks.append("registers")
        if self.bytes < self.block_bytes:
            lacks.append("shared memory")
        if self.warp_slots < self.block_warps:
            lacks.append("warps")
        if self.block_slots < 1:
            lacks.append("blocks")
        return lacks

    def place(self):
        if self.register_slots is not None:
            self.register_slots -= self.block_warps
        self.bytes -= self.block_bytes
        self.warp_slots -= self.block_warps
        self.block_slots -= 1


def unlimited_by_blocks(launch):
    """Resources of which a block takes nothing are as many as blocks: they end together."""
    free = ["registers"] if launch.registers == 0 else []
    return free + (["shared memory"] if launch.shared == 0 and launch.gpu.major == 7 else [])


def occupancy(launch):
    """(blocks, warps, limiters) or None."""
    if launch.gpu is None or product(launch.block) is None or launch.registers is None or launch.shared is None:
        return None
    sm = Sm(launch)
    blocks = 0
    while not sm.missing():
        sm.place()
        blocks += 1
    if not sm.fits_at_all or blocks == 0:
        return None
    limiters = sm.missing()
    if "blocks" in limiters:
        limiters = sorted({*limiters, *unlimited_by_blocks(launch)}, key=("registers", "shared memory", "warps", "blocks").index)
    return blocks, blocks * sm.block_warps, limiters


def is_upper_bound(launch):
    block_bytes = Sm(launch).block_bytes
    return block_bytes > (launch.carve_out or 0) or (product(launch.cluster) or 1) > 1


def fit_cells(launch):
    found = occupancy(launch)
    if found is None:
        return [""] * 7
    blocks, warps, limiters = found
    fit = [rounded(Fraction(100 * warps, launch.gpu.warps), 2), "at most" if is_upper_bound(launch) else "exact",
           ", ".join(limiters), str(blocks), str(warps)]
    grid = product(launch.grid)
    if grid is None or launch.gpu.sms is None:
        return fit + ["", ""]
    waves = Fraction(grid, blocks * launch.gpu.sms)
    begun = -(-waves.numerator // waves.denominator)
    return fit + [rounded(waves, 2), rounded((begun - waves) * 100 / begun, 1) if waves >= 1 else ""]


def shape_text(shape):
    return "" if product(shape) is None else dimensions(*shape)


def report(timed_launches):
    """Of pairs (Launch, ns)."""
    groups = grouped(timed_launches)
    everything = sum(sum(times) for times in groups.values())
    ordered = sorted(groups.items(), key=lambda item: (-sum(item[1]), item[0].name))
    rows = []
    for launch, times in ordered:
        rows.append([percent(sum(times), everything), str(sum(times)), str(len(times)), *fit_cells(launch),
                     *map(cell, (launch.registers, launch.shared, launch.carve_out)), shape_text(launch.grid), shape_text(launch.block), launch.name])
    return Report(HEADER, rows, [(-sum(times), launch.name) for launch, times in ordered])
