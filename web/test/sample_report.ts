/** A report built by hand, with all that can be unpleasant in one: for tests, and for looking at (sample_page.mjs). */
import { deflateRawSync } from 'node:zlib';
import type {
  Capture,
  Diagnosis,
  Differences,
  Distribution,
  Evidence,
  Finding,
  JsonBlob,
  ProfileDocument,
  ReportDocument,
  Summary,
  TableDocument,
} from '../src/data/format.ts';

export const hostile = {
  markup: '<img src=x onerror=alert(1)></script><script>alert(2)</script>',
  quotes: `"double" 'single' \`back\` & &amp; \\ %s`,
  emoji: 'step 👩‍👩‍👧‍👦🚀 größer',
  rightToLeft: 'שלב אימון \u202e gnirts desrever',
  long: `void cutlass::Kernel<${'cutlass::gemm::GemmShape<128, 128, 64>, '.repeat(250)}cutlass::end>(Params)`,
};

export interface Sample {
  document: ReportDocument;
  /** Base64 of raw deflate, by id. */
  blobs: Map<string, string>;
}

class Blobs {
  readonly texts = new Map<string, string>();

  add<T>(value: T): JsonBlob<T> {
    const bytes = Buffer.from(JSON.stringify(value), 'utf8');
    const id = `blob-${this.texts.size}`;
    this.texts.set(id, deflateRawSync(bytes).toString('base64'));
    return { id, bytes: bytes.length };
  }
}

const distribution = (count: number, total_ns: number): Distribution => ({
  count,
  total_ns,
  average_ns: total_ns / count,
  median_ns: (0.9 * total_ns) / count,
  minimum_ns: (0.2 * total_ns) / count,
  maximum_ns: (5 * total_ns) / count,
  stddev_ns: (0.3 * total_ns) / count,
});

const kernelNames = [
  'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas',
  'void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>, false, true>(Flash_fwd_params)',
  ...Object.values(hostile),
  'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  'void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, at::detail::Array<char *, 3>>(int, T2, T3)',
];

function summaryOf(scale: number): Summary {
  const total_ns = Math.round(304_090_815 * scale);
  const gpu = (place: string, busy: number) => ({
    place,
    name: 'NVIDIA H100 80GB HBM3',
    busy_ns: Math.round(busy * total_ns),
    kernel_ns: Math.round(0.63 * busy * total_ns),
    copy_ns: Math.round(0.6 * busy * total_ns),
    set_ns: 0,
    idle_ns: total_ns - Math.round(busy * total_ns),
    kernels: 3280,
    sets: 640,
    graph_launches: 0,
    copies: [],
  });
  return {
    avg_kernel_time: 0.0455,
    sources: [0, 1].map((rank) => ({
      file: `train_rank${rank}.nsys-rep`,
      format: 'nsys_rep',
      product: 'NVIDIA Nsight Systems',
      product_version: '2025.1.3',
      rank,
      world_size: 2,
    })),
    total_ns,
    set_up_ns: 0,
    after_ns: 0,
    gpus: [gpu('GPU 0', 0.763), gpu('GPU 1', 0.58)],
    kernel_time: distribution(3280, 149_257_845),
    launch_latency: distribution(3280, 3_450_518_245),
    warm_up: {
      range: 'iteration',
      iterations: 20,
      slow_iterations: 1,
      slow_average_ns: 16_899_142,
      median_ns: 10_402_010,
    },
    kernels: kernelNames.map((name, i) => ({ name, ...distribution(960 >> (i % 5), 54_846_581 / (i + 1)) })),
    api_calls: ['cudaMemcpyAsync', 'cudaStreamSynchronize', 'cudaLaunchKernel', 'cuLaunchKernelEx'].map((name, i) => ({
      name,
      ...distribution(88 << i, 135_000_000 / (i * i + 1)),
    })),
    import_log: [
      {
        id: 'event_unknown',
        count: 1234,
        detail: hostile.markup,
        what: 'events of a kind that is not known',
        meaning: 'they are left out; sums may be too small',
      },
    ],
  };
}

const evidenceAt = (start_ns: number, length: number, what: string | null = null, place = 'GPU 0'): Evidence => ({
  start_ns,
  end_ns: start_ns + length,
  place,
  what,
  brief: what,
});

const usual = {
  arguments: {},
  likely: null,
  reachable: true,
  folded: false,
  takes_time: true,
  not_recorded: [] as string[],
};

const pageable: Finding = {
  ...usual,
  id: 'pageable_copy',
  ceiling_ns: 96_993_363,
  ceiling_percent: 38.0699,
  says: 'Copies between host and GPU use pageable memory: 38 of them move 956 MB in 106 ms, at 9.02 GB/s.',
  do: 'Copy from pinned memory: use cudaMallocHost or cudaHostRegister; in PyTorch, pin_memory=True and non_blocking=True.',
  evidence: [20, 77, 53, 173, 217].map((ms, i) => evidenceAt(ms * 1e6 + 924_036, 2_996_880 - 9_000 * i)),
};
const idle: Finding = {
  ...usual,
  id: 'gpu_idle_range',
  ceiling_ns: 55_197_881,
  ceiling_percent: 21.665,
  likely: { low_ns: 46_918_199, high_ns: 55_197_881, cases: 5 },
  arguments: { time_ns: 55_197_881, first: hostile.markup, second: hostile.rightToLeft, third: hostile.emoji },
  says: `The GPU is idle for 55.2 ms while the host works: ${hostile.markup} 60 %, ${hostile.rightToLeft} 20 %, ${hostile.emoji} 9 %.`,
  do: 'Make the host faster than the GPU in these ranges: less Python per step, CUDA graphs or torch.compile.',
  evidence: [
    evidenceAt(197_198_725, 3_719_292, hostile.markup),
    evidenceAt(88_391_159, 3_613_204, hostile.rightToLeft, 'thread 4242'),
    evidenceAt(12_391_159, 613_204, hostile.long),
  ],
  not_recorded: ['OS runtime calls'],
};
const dominant: Finding = {
  ...usual,
  id: 'dominant_kernel',
  ceiling_ns: 40_000_000,
  ceiling_percent: 15.7,
  arguments: { kernel: hostile.long },
  says: `One kernel takes 68.4 % of the GPU's busy time: ${hostile.long}, 1,387 launches.`,
  do: 'Measure this kernel first: ncu --set full -k NAME -c 3 and then sonde kernel.',
  evidence: [],
  reachable: false,
  folded: true,
};
const growth: Finding = {
  ...usual,
  id: 'memory_growth',
  ceiling_ns: 0,
  ceiling_percent: 0,
  says: 'Memory in use on GPU 0 grows by 101 MB per step, from 872 MB to 2.68 GB (full after 827 more steps).',
  do: 'Find the objects that are kept: torch.cuda.memory._record_memory_history, nsys --cuda-memory-usage=true.',
  evidence: [],
  takes_time: false,
};
const small: Finding = {
  ...usual,
  id: 'small_grid',
  ceiling_ns: 4_100_000,
  ceiling_percent: 1.6,
  says: `Kernels with fewer blocks than the GPU has SMs: ${hostile.quotes}, 640 launches of 33 blocks.`,
  do: 'Launch more blocks, or run such kernels in parallel.',
  evidence: [evidenceAt(3e6, 1e5)],
};

const diagnosisOf = (findings: Finding[]): Diagnosis => ({
  wall_ns: 254_777_024,
  steps: { range: 'iteration', recorded: 20, judged: 19 },
  answer: 'problems',
  headline: null,
  explained: { by_findings_ns: 152_866_214, work_ns: 76_433_107, idle_ns: 25_477_703 },
  findings,
  not_recorded: ['OS runtime calls', 'memory usage'],
  no_conclusion: ['straggler', 'gpu_imbalance'].map((rule) => ({
    rule,
    id: 'ranks_complete',
    says: 'the job has 8 ranks, but the profile contains 2 of them',
  })),
});

const capture: Capture = {
  files: [0, 1].map((rank) => ({
    title: `train_rank${rank}.nsys-rep`,
    facts: [
      ['format', 'nsys_rep'],
      ['recorded by', 'NVIDIA Nsight Systems 2025.1.3'],
      ['recorded for', '304 ms'],
      ['kernels', '3,280'],
      ['odd', hostile.quotes],
    ],
  })),
  gpus: [
    {
      title: 'GPU 0: NVIDIA H100 80GB HBM3',
      facts: [
        ['compute capability', '9.0'],
        ['SMs', '132'],
        ['memory', '85.9 GB at 3.35 TB/s'],
      ],
    },
  ],
  missing: [
    { what: 'OS runtime calls', meaning: 'waits of threads outside CUDA are not told; record with --trace=osrt' },
  ],
};

const kLong = 12_345;

function kernelTable(): TableDocument {
  const times = kernelNames.map((_, i) => 54_846_581 / (i + 1));
  const sum = times.reduce((a, b) => a + b, 0);
  const column = (name: string, unit: 'ns' | 'none', decimals: number, values: (number | string | null)[]) => ({
    name,
    unit,
    decimals,
    values,
  });
  return {
    name: 'cuda_gpu_kern_sum',
    title: 'CUDA GPU Kernel Summary',
    description:
      'GPU time of kernels by name.\n\nTime (%)      share of the sum of Total Time\nTotal Time    sum of their durations',
    note: '',
    columns: [
      { name: 'Time (%)', unit: '%', decimals: 1, values: times.map((time) => (100 * time) / sum) },
      column('Total Time (ns)', 'ns', 0, times.map(Math.round)),
      column(
        'Instances',
        'none',
        0,
        times.map((_, i) => 960 >> (i % 5)),
      ),
      column(
        'Avg (ns)',
        'ns',
        1,
        times.map((time, i) => (i === 3 ? null : time / 960)),
      ),
      column('Name', 'none', 0, kernelNames),
    ],
    rows: kernelNames.length,
  };
}

/** Longer than the report holds. */
function traceTable(): TableDocument {
  const rows = Array.from({ length: kLong }, (_, i) => i);
  return {
    name: 'cuda_gpu_trace',
    title: 'CUDA GPU Trace',
    description: 'Kernels, copies and sets in the order of their start.',
    note: 'The table is long: the report holds its first rows. sonde stats prints all.',
    columns: [
      { name: 'Start (ns)', unit: 'ns', decimals: 0, values: rows.map((i) => 24_000 * i) },
      { name: 'Duration (ns)', unit: 'ns', decimals: 0, values: rows.map((i) => 1000 + ((7919 * i) % 50_021)) },
      { name: 'CorrId', unit: 'none', decimals: 0, values: rows.map((i) => 100_000 + i) },
      { name: 'Throughput (MB/s)', unit: 'MB/s', decimals: 3, values: rows.map((i) => (i % 5 ? null : 8984.199)) },
      { name: 'Device', unit: 'none', decimals: 0, values: rows.map((i) => `NVIDIA H100 80GB HBM3 (${i % 2})`) },
      { name: 'Name', unit: 'none', decimals: 0, values: rows.map((i) => kernelNames[i % kernelNames.length]!) },
    ],
    rows: 1_234_567,
  };
}

function differences(base: Finding[], next: Finding[]): Differences {
  const index = (findings: Finding[], id: string) => {
    const at = findings.findIndex((finding) => finding.id === id);
    return at < 0 ? null : at;
  };
  const ids = Array.from(new Set([...base, ...next].map(({ id }) => id)));
  const row = (name: string, base_ns: number | null, new_ns: number | null) => ({
    name,
    base_ns,
    new_ns,
    base_count: base_ns === null ? null : 12,
    new_count: new_ns === null ? null : 14,
  });
  return {
    per: 'step',
    part: 'steps',
    notes: [],
    base_ns: 10_402_010,
    new_ns: 12_302_500,
    findings: ids.map((id) => ({ id, base: index(base, id), new: index(next, id) })),
    causes: [
      {
        id: 'kernel_slower',
        change_ns: 2_100_490,
        says: `${hostile.markup} is slower in model/encoder/0/attention: 250 us -> 321 us per launch, 14 launches.`,
        arguments: { kernel: hostile.markup, base_mean_ns: 250_000, mean_ns: 321_000 },
      },
      {
        id: 'rest',
        change_ns: -200_000,
        says: 'All other changes; each is too small to be listed as a cause.',
        arguments: {},
      },
    ],
    modules: [row('model/encoder/0/attention', 3_000_000, 4_500_000), row(hostile.markup, 900_000, 700_000)],
    kernels: kernelNames.map((name, i) =>
      row(name, i === 2 ? null : 4_000_000 / (i + 1), i === 4 ? null : 5_000_000 / (i + 1.5)),
    ),
    copies: [row('Host-to-Device', 6_700_000, 1_200_000)],
    idle: [row('host work', 2_000_000, 2_600_000), row('synchronization', null, 1_000)],
  };
}

function profileOf(blobs: Blobs, label: string, findings: Finding[], scale: number): ProfileDocument {
  const starts = Array.from({ length: 19 }, (_, i) => 29_000_000 + 12_000_000 * i);
  const steps = starts.map(() => 0);
  return {
    label,
    span_ns: Math.round(304_090_815 * scale),
    summary: summaryOf(scale),
    diagnosis: diagnosisOf(findings),
    capture,
    steps: {
      range: 'iteration',
      warm_up: 1,
      ranks: [
        {
          rank: 0,
          start_ns: starts,
          end_ns: starts.map((start, i) => start + 10_402_010 + 40_000 * (i % 3)),
          gpu_busy_ns: steps,
          kernels: steps,
          launches: steps,
          copy_bytes: steps,
        },
      ],
    },
    timeline: {
      texts: blobs.add<string[]>(['kernel']),
      ranks: [''],
      tracks: [
        {
          id: 0,
          kind: 'gpu',
          label: 'Stream 7',
          path: ['GPU 0'],
          place: 'GPU 0',
          rank: 0,
          events: 0,
          total_ns: 0,
          rows: [0],
          names: [[0, 'kernel']],
          details: null,
          data: { ...blobs.add(''), columns: [] },
          counter: null,
        },
      ],
      events: 0,
      slices: 0,
      detailed: [],
      tiles: null,
    },
    sections: { tables: blobs.add({ tables: [kernelTable(), traceTable()] }) },
  };
}

const baseFindings = [pageable, idle, dominant, growth];

/** One profile of two ranks. */
export function sampleReport(): Sample {
  const blobs = new Blobs();
  const profiles = [profileOf(blobs, 'train', baseFindings, 1)];
  return { document: documentOf('train_rank0.nsys-rep and 1 more', profiles, null), blobs: blobs.texts };
}

/** Two profiles side by side. */
export function sampleComparison(): Sample {
  const blobs = new Blobs();
  const newFindings = [{ ...idle, ceiling_ns: 20_000_000, ceiling_percent: 7.2 }, small, growth];
  const profiles = [profileOf(blobs, 'base', baseFindings, 1), profileOf(blobs, 'new', newFindings, 0.8)];
  const document = documentOf('base against new', profiles, blobs.add(differences(baseFindings, newFindings)));
  return { document, blobs: blobs.texts };
}

/** Nothing found, hardly anything recorded, and a part that is damaged. */
export function sampleDamaged(): Sample {
  const blobs = new Blobs();
  const profile = profileOf(blobs, 'small', [], 0.1);
  profile.steps = null;
  profile.timeline.tracks = [];
  blobs.texts.set(profile.sections.tables!.id, 'AAAA');
  return { document: documentOf('damaged', [profile], null), blobs: blobs.texts };
}

const documentOf = (
  title: string,
  profiles: ProfileDocument[],
  differencesBlob: JsonBlob<Differences> | null,
): ReportDocument => ({
  schema: 'sonde.report/1',
  sonde_version: '0.1.0',
  title,
  profiles,
  differences: differencesBlob,
});
