#!/usr/bin/env python3
"""Blocks/SM of `cuda_gpu_kern_occ_sum` against what PyTorch wrote into its traces from CUDA's own occupancy function.

"est. achieved occupancy %" is min(grid / SMs, blocks of an SM) * threads / threads of an SM in whole percents. Where PyTorch
writes 0 for a kernel with more than 48 KiB of shared memory, it asked CUDA without the opt-in that the kernel had: counted,
not compared.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] pytorch_occupancy.py [PART OF A FILE NAME]...
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import pytorch_json
from occupancy import product
from pytorch_json import size_text

ESTIMATE = "est. achieved occupancy %"
WITHOUT_OPT_IN = 48 * 1024


def shape_of(event):
    arguments = event.arguments
    return (event.name, size_text(event, "grid"), size_text(event, "block"), str(arguments.get("registers per thread", "")),
            str(arguments.get("shared memory", "")))


def printed_blocks(path):
    """{shape: Blocks/SM} as Sonde prints them."""
    rows, error = compare.printed_report(path, "cuda_gpu_kern_occ_sum")
    if error:
        sys.exit(f"{path.name}: {error}")
    columns = {title: i for i, title in enumerate(rows[0])} if rows else {}
    titles = ("Name", "GridXYZ", "BlockXYZ", "Reg/Trd", "SMem/Block (bytes)", "Blocks/SM")
    cells = (tuple(row[columns[title]] for title in titles) for row in rows[1:])
    return {cell[:5]: int(cell[5]) for cell in cells if cell[5]}


def check(path):
    """(kernels compared, kernels that differ, kernels that PyTorch gave up on)"""
    blocks = printed_blocks(path)
    compared = different = given_up = 0
    for event in pytorch_json.of(pytorch_json.open_trace(path), pytorch_json.KERNELS):
        arguments = event.arguments
        if ESTIMATE not in arguments or shape_of(event) not in blocks:
            continue
        if arguments[ESTIMATE] == 0 and arguments["shared memory"] > WITHOUT_OPT_IN:
            given_up += 1
            continue
        resident = min(product(list(map(int, arguments["grid"]))) / event.gpu.sms, blocks[shape_of(event)])
        estimate = 100 * resident * product(list(map(int, arguments["block"]))) / (event.gpu.warps * 32)
        compared += 1
        if abs(estimate - float(arguments[ESTIMATE])) > 1:
            different += 1
            print(f"    {shape_of(event)}: {estimate:.2f} %, PyTorch says {arguments[ESTIMATE]} %")
    return compared, different, given_up


def main():
    folder = compare.data_folder("kineto")
    total = [0, 0, 0]
    for path in compare.selected([*folder.glob("*.json"), *folder.glob("*.json.gz")]):
        found = check(path)
        print(f"{'DIFFERS' if found[1] else 'ok':8}{path.name}  {found[0]} kernels compared, {found[2]} given up by PyTorch", flush=True)
        total = [a + b for a, b in zip(total, found)]
    print(f"{total[0]} kernels compared, {total[1]} differ, {total[2]} that PyTorch gave up on")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
