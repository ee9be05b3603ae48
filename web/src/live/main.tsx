import '../theme/base.css';
import '../charts/charts.css';
import './live.css';
import './tasks.css';
import { render } from 'preact';
import { applyTheme, storedTheme } from '../theme/theme.ts';
import { App } from './views/app.tsx';

const page = document.getElementById('page');
applyTheme(storedTheme());
if (page) {
  page.replaceChildren();
  render(<App />, page);
}
