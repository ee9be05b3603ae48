/** A page with the views of the charts alone, for looking at: see sample_charts.mjs. */
import '../src/style.css';
import { render } from 'preact';
import { CopiesView } from '../src/charts/copies_view.tsx';
import { KernelsView } from '../src/charts/kernels_view.tsx';
import { StepsView } from '../src/charts/steps_view.tsx';
import { reportOfPage } from '../src/data/report.ts';
import { ModulesView } from '../src/modules/modules_view.tsx';
import type { Focus, Navigation } from '../src/navigation.ts';

const shown: Focus[] = [];
Object.assign(window, { shown });
const navigation: Navigation = { showOnTimeline: (focus) => shown.push(focus), show: () => undefined };
const report = reportOfPage();

render(
  <main>
    <h2>Modules</h2>
    <ModulesView report={report} navigation={navigation} />
    <h2>Kernels</h2>
    <KernelsView report={report} navigation={navigation} />
    <h2>Copies</h2>
    <CopiesView report={report} navigation={navigation} />
    <h2>Steps</h2>
    <StepsView report={report} navigation={navigation} />
  </main>,
  document.getElementById('page')!,
);
