#!/usr/bin/env python3
"""Types every option of nsys profile, launch, start and of ncu, as their manuals have it, under sonde record, launch,
start and study: each is accepted, or answered by its name in Sonde's own words, the same for all four. The list is from
the manuals (nsys 2025.6, ncu 2025.3 and older names), not from the program."""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import SONDE, check

NSYS = """
--accelerator-trace=tegra-accelerators --after-collection-start=true --after-report-ready=true --auto-report-name=true
--backtrace=fp -b=lbr --capture-range=none -c=none --capture-range-end=repeat:2:async --clock-frequency-changes=true
--command-file=file --cpu-cluster-events=0x16 --cpu-core-events=2 --cpu-core-metrics=0 --cpu-metrics=help
--cpu-socket-events=0x2a --cpu-socket-metrics=0 --cpuctxsw=none --cuda-event-trace=true --cuda-flush-interval=10000
--cuda-graph-trace=node:host-only --cuda-memory-usage=true --cuda-trace-all-apis=true --cuda-trace-scope=system-wide
--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true --cudabacktrace=kernel:500,sync --dask=functions-trace
--debug-symbols=/tmp --delay=0.01 -y=0 --discard-environment=true --dts-api-port=9117 --duration=60 -d=60
--duration-frames=60 --dx-force-declare-adapter-removal-support=true --dx12-gpu-workload=batch --dx12-wait-calls=true
--enable=network_interface --env-var=A=B -e=A=B,C=D --etw-provider=name --event-sample=system-wide
--event-sampling-frequency=3 --event-sampling-interval=10 --event-sampling-multiplex-interval=2000 --export=sqlite
--flush-on-cudaprofilerstop=true --force-overwrite=true -f=true --ftrace=sched/sched_switch --ftrace-keep-user-config
--gds-libs-path=/tmp --gds-metrics=true --gpu-metrics-device=all --gpu-metrics-devices=0,1 --gpu-metrics-frequency=10000
--gpu-metrics-set=gh100 --gpu-video-device=all --gpu-video-devices=all --gpuctxsw=true --hotkey-capture=F12
--ib-net-info-devices=mlx5_0 --ib-net-info-files=file --ib-net-info-output=folder --ib-switch-congestion-device=0x1
--ib-switch-congestion-devices=0x1 --ib-switch-congestion-nic-device=mlx5_0 --ib-switch-congestion-percent=50
--ib-switch-congestion-threshold-high=75 --ib-switch-metrics-device=0x1 --ib-switch-metrics-devices=0x1
--ib-switch-metrics-nic-device=mlx5_0 --inherit-environment=true -n=false --injection-use-detours=true --isr=true
--kill=sigterm --mpi-impl=openmpi --nccl-trace=all --nic-metrics=true --nvtx-capture=range@domain -p=range
--nvtx-domain-exclude=default --nvtx-domain-include=default,one --opengl-gpu-workload=true --os-events=0
--osrt-backtrace-depth=24 --osrt-backtrace-stack-size=6144 --osrt-backtrace-threshold=80000 --osrt-file-access=true
--osrt-threshold=1000 --output=%q{HOME}/named_%h_%p -o=named_%n --process-scope=main --python-backtrace=cuda
--python-functions-trace=file.json --python-sampling=true --python-sampling-frequency=1000 --pytorch=autograd-nvtx
--qnx-kernel-events=help --qnx-kernel-events-mode=system --reflex-events=true --resolve-symbols=true
--retain-etw-files=true --run-as=root --sample=process-tree -s=none --samples-per-backtrace=4 --sampling-frequency=1000
--sampling-period=1000000 --sampling-trigger=timer --session=one --session-new=one --show-output=true -w=true
--show-source-info=true --soc-metrics=true --soc-metrics-frequency=10000 --soc-metrics-set=set --start-frame-index=1
--start-later=true -Y=true --stats=true --stop-on-exit=true -x=true --storage-metrics --syscall=process-tree
--system-wide=true --trace=cuda,nvtx,osrt -t=cublas-verbose,cusolver,nccl,openmp,python-gil,gds,ucx,cuda-sw
--trace-fork-before-exec=true --vsync=true --vulkan-gpu-workload=batch --vulkan-sc-gpu-workload=batch --wait=all
--wddm-additional-events=true --wddm-backtraces=true --wddm-memory-trace=true --xhv-trace=file.json
--xhv-trace-events=all --xhv-vm-symbols=file.json --environment --network
"""

NCU = """
--version -v --mode=launch --port=49152 -p=49152 --max-connections=64 --config-file=off --config-file-path=file --mps=client
--mps-num-clients=2 --mps-timeout=10 --check-exit-code=no --forward-signals --injection-path-32=folder
--injection-path-64=folder --preload-library=library.so --call-stack --call-stack-type=python --nvtx --support-32bit
--target-processes=all --target-processes-filter=name --null-stdin --nvtx-push-pop-scope=process --hostname=127.0.0.1
--kill=yes --replay-mode=application --app-replay-buffer=memory --app-replay-match=grid --app-replay-mode=balanced
--graph-profiling=graph --range-replay-options=enable-greedy-sync --list-sets --set=full --list-sections
--section-folder=folder --section-folder-recursive=folder --section-folder-restore --list-rules --apply-rules=no
--rule=Name --import-sass=yes --import-source=yes --source-folders=folder --list-metrics --query-metrics
--query-metrics-mode=all --query-metrics-collection=device --list-chips --chips=gh100 --profile-from-start=off
--disable-profiler-start-stop --quiet -q --verbose --cache-control=none --clock-control=none --pipeline-boost-state=stable
--devices=0,1 --device=0 --filter-mode=per-gpu --kernel-id=::name:1 --kernel-name=regex:gemm -k=gemm --kernel-name-base=demangled
--rename-kernels=no --rename-kernels-export=yes --rename-kernels-path=file --launch-count=2 -c=2 --launch-skip=3 -s=3
--launch-skip-before-match=1 --section=SpeedOfLight --metrics=basic --disable-extra-suffixes --nvtx-include=range/
--nvtx-exclude=range/ --range-filter=::1 --native-include=function --native-exclude=function --python-include=function
--python-exclude=function --pm-sampling-interval=1000 --pm-sampling-buffer-size=1000 --pm-sampling-max-passes=1
--warp-sampling-interval=10 --warp-sampling-max-passes=5 --warp-sampling-buffer-size=33554432 --sampling-interval=auto
--sampling-max-passes=5 --sampling-buffer-size=33554432 --log-file=log.txt --export=named -o=named --force-overwrite -f
--import=report.ncu-rep -i=report.ncu-rep --open-in-ui --csv --page=raw --print-source=sass --resolve-source-file=file
--print-details=all --print-metric-name=name --print-units=base --print-metric-attribution --print-fp
--print-kernel-base=demangled --print-metric-instances=values --print-nvtx-rename=kernel --print-rule-details
--print-summary=per-kernel
"""

# Data that is asked for and not recorded: it is a warning, that nobody takes the profile for whole.
MISSING = """
--accelerator-trace --call-stack --clock-frequency-changes --cpu-cluster-events --cpu-core-events --cpu-core-metrics
--cpu-metrics --cpu-socket-events --cpu-socket-metrics --cuda-trace-scope --dask --debug-symbols --dx12-gpu-workload
--dx12-wait-calls --enable --etw-provider --event-sample --ftrace --gds-metrics --gpu-video-devices --gpuctxsw
--graph-profiling --ib-net-info-devices --ib-switch-congestion-devices --ib-switch-metrics-devices --import-sass
--import-source --isr --mps --nic-metrics --opengl-gpu-workload --os-events --osrt-backtrace-depth --osrt-file-access
--python-backtrace --python-functions-trace --pytorch --qnx-kernel-events --reflex-events
--show-source-info --soc-metrics --storage-metrics --support-32bit --syscall --system-wide --vsync --vulkan-gpu-workload
--vulkan-sc-gpu-workload --wddm-backtraces --wddm-memory-trace --xhv-trace
"""

# What asks for nothing, or for what is done anyway.
SILENT = """
--cache-control=none --clock-control=none --nvtx --nvtx=true --import-source=no --import-sass=0 --python-backtrace=false
--python-backtrace=none --dask=false --dask=none --pytorch=false --pytorch=none --soc-metrics=false --call-stack=false
--list-sections=false --csv=false --launch-skip-before-match=0 --sampling-buffer-size=0 --process-scope=process-tree
--graph-profiling=node --opengl-gpu-workload=false --vulkan-gpu-workload=none --dx12-gpu-workload=false
"""

TABLE = Path(__file__).resolve().parents[3] / "src" / "cli" / "record" / "other_options.inc"

# Of the parser, and of nobody who knows what was meant.
RAW = re.compile(r"not expected|Could not convert|not in range|required|allowed value|internal error|unknown option"
                 r"|unexpected word")


def words_of(option, joined):
    """"--name=value" as one word, or as two as nsys and ncu take it, too; "-x=value" is always two."""
    name, equals, value = option.partition("=")
    if not equals:
        return [name]
    return [option] if joined and name.startswith("--") else [name, value]


def words(command, option, joined):
    """The command line; without a program where the option stands apart from its value."""
    if command == "start" or not joined:
        return [command, *words_of(option, joined)]
    line = [command, "--self-test=false", *words_of(option, joined)]
    if command != "launch" and not re.match(r"--output|-o|--export=named", option):
        line += ["-o", "run"]
    if command != "launch" and not option.startswith(("--force", "-f")):
        line += ["-f"]
    return [*line, "--", "true"]


def answer(folder, command, option, joined=True):
    environment = os.environ | {"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)}
    return subprocess.run([SONDE, *words(command, option, joined)], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def is_named(option, said):
    name = option.partition("=")[0].replace("--output", "-o")
    return name in said or name.startswith("-") and not name.startswith("--")


def said_of_it(run):
    """[(whether it is a warning, option, answer)]: what is said of options that are none of Sonde's."""
    return re.findall(r"^sonde: (warning: )?(--?[\w-]+): (.*)$", run.stderr, re.M)


def check_recorded(folder, option):
    run = answer(folder, "record", option)
    check(not RAW.search(run.stderr), (option, run.stderr))
    check(run.returncode in (0, 2), (option, run.returncode, run.stderr))
    check(run.returncode == 0 or is_named(option, run.stderr), (option, run.stderr))
    apart = answer(folder, "record", option, joined=False).stderr
    check("no program given" in apart, (option, "as two words", apart))
    return run


def check_elsewhere(folder, option, recorded, rows):
    """A command that has not got it says which has; of what is none of Sonde's, each says what sonde record says."""
    name = option.partition("=")[0]
    is_row = name in rows and name not in ("--session", "-p")  # which some of the commands have themselves
    for command in ("start", "launch", "study"):
        run = answer(folder, command, option)
        check(not RAW.search(run.stderr), (command, option, run.stderr))
        check(run.returncode in ((1, 2) if command == "start" else (0, 2)), (command, option, run.returncode, run.stderr))
        check(run.returncode == 0 or command == "start" or is_named(option, run.stderr), (command, option, run.stderr))
        if not is_row:
            continue
        check(said_of_it(run) == said_of_it(recorded), (command, option, run.stderr, recorded.stderr))
        taken = "there is no session" in run.stderr if command == "start" else run.returncode == 0
        check(taken == (recorded.returncode == 0), (command, option, run.stderr, recorded.stderr))


def check_all(folder, option, rows):
    """Whether it is taken."""
    own = Path(tempfile.mkdtemp(dir=folder))
    recorded = check_recorded(own, option)
    check_elsewhere(own, option, recorded, rows)
    name = option.partition("=")[0]
    if name in MISSING.split():
        check([bool(warning) for warning, _, _ in said_of_it(recorded)] == [True], ("not a warning", option, recorded.stderr))
    return recorded.returncode == 0


def check_silent(folder, option):
    for command in ("record", "launch", "start", "study"):
        run = answer(folder, command, option)
        taken = "there is no session" in run.stderr if command == "start" else run.returncode == 0
        check(taken and not is_in(option, run.stderr), (command, option, run.stderr))


def check_ports(folder):
    """-p is nsys' --nvtx-capture, and ncu's --port where a number stands behind it that no range waits for."""
    for command in ("record", "launch", "start", "study"):
        run = answer(folder, command, "-p=49152")
        check("no network connection is used" in run.stderr and run.returncode == (1 if command == "start" else 0),
              (command, run.stderr))
        run = answer(folder, command, "-p=step")
        check(run.returncode != 0 and "--nvtx-capture" in run.stderr and "no session" not in run.stderr, (command, run.stderr))
    waits = subprocess.run([SONDE, "record", "--dry-run", "-c", "nvtx", "-p", "49152", "-o", "waits", "--", "true"], cwd=folder,
                           capture_output=True, text=True, timeout=60, check=False)
    check(waits.returncode == 0 and not waits.stderr, waits.stderr)


def is_in(option, said):
    return re.search(rf"{option.partition('=')[0]}\b", said) is not None


def main():
    options = NSYS.split() + NCU.split()
    typed = {option.partition("=")[0] for option in options}
    names = re.findall(r'^SONDE_OTHER_OPTION\("([^"]+)"', TABLE.read_text(), re.M)
    rows = {name for row in names for name in row.split(",")}
    check(rows <= typed and set(MISSING.split()) <= typed, ("not typed", rows - typed, set(MISSING.split()) - typed))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as workers:
        taken = sum(workers.map(lambda option: check_all(folder, option, rows), options))
        list(workers.map(lambda option: check_silent(Path(tempfile.mkdtemp(dir=folder)), option), SILENT.split()))
        check_ports(Path(tempfile.mkdtemp(dir=folder)))
    print(f"ok: {len(options)} options of nsys and ncu, of which {taken} are taken and {len(options) - taken} refused with an "
          "answer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
