import {render} from 'preact';
import {reportOf} from './data';
import {ReportPage} from './page';

const data = document.getElementById('data')!.textContent!;
const page = document.getElementById('page')!;
page.textContent = '';
render(<ReportPage report={reportOf(JSON.parse(data))} />, page);
