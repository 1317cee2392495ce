'use strict';
// What a page does by itself: it searches, filters, sorts and saves the transactions that it has,
// and shows the table of the tag that is chosen.
(() => {
  const figures = [...document.querySelectorAll('figure[data-tag]')];
  if (figures.length < 2) return;
  const menu = document.createElement('select');
  menu.setAttribute('aria-label', 'tag');
  for (const figure of figures) menu.add(new Option(figure.dataset.tag));
  const show = () => {
    figures.forEach((figure, index) => { figure.hidden = index !== menu.selectedIndex; });
    const title = figures[menu.selectedIndex].querySelector('h2');
    title.classList.add('chosen');
    title.querySelector('bdi').after(menu);
  };
  menu.addEventListener('change', () => {
    show();
    menu.focus();
  });
  show();
})();
(() => {
  const section = document.getElementById('transactions');
  if (!section) return;
  const form = section.querySelector('form');
  const heads = [...section.querySelector('thead tr').cells];
  const body = section.querySelector('tbody');
  const rows = [...body.rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const column = { account: 1, type: 2, status: 3, month: 0 };
  const fits = (row, text) => {
    const words = form.querySelector('input').value.toLowerCase().split(' ');
    const menus = [...form.querySelectorAll('select')].filter((menu) => menu.value);
    return words.every((word) => text.includes(word)) && menus.every((menu) => {
      const cell = row.cells[column[menu.name]].textContent;
      return menu.name === 'month' ? cell.startsWith(menu.value) : cell === menu.value;
    });
  };
  const show = () => {
    let count = 0;
    rows.forEach((row, index) => {
      row.hidden = !fits(row, texts[index]);
      if (!row.hidden) count += 1;
    });
    form.querySelector('output').textContent =
      count === rows.length ? '' : count.toLocaleString('en') + ' shown';
  };
  const value = (row, index) => {
    const cell = row.cells[index];
    const text = cell.dataset.v;
    if (text === undefined) return cell.textContent;
    return text.includes('.') ? Number(text) : BigInt(text);
  };
  const sort = (head, index) => {
    const up = head.getAttribute('aria-sort') !== 'ascending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const sorted = rows.map((row) => [value(row, index), row]);
    sorted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
    body.append(...sorted.map(([, row]) => row));
  };
  // RFC 4180; text that a spreadsheet would take for a formula has an apostrophe before it.
  const field = (cell) => {
    if (cell.classList.contains('n') && cell.dataset.v) {
      return cell.textContent === '' ? '' : cell.dataset.v;
    }
    const text = /^[=+\-@\t\r]/.test(cell.textContent) ? "'" + cell.textContent : cell.textContent;
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const save = () => {
    const shown = [...body.rows].filter((row) => !row.hidden);
    const lines = [heads, ...shown.map((row) => [...row.cells])]
      .map((cells) => cells.map(field).join(',') + '\r\n');
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(lines, { type: 'text/csv' }));
    link.download = 'transactions.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    form.querySelector('output').textContent =
      shown.length.toLocaleString('en') + ' saved' + missing();
  };
  // A month's menu entry says how many transactions it has: `2026-01 (1,500)`.
  const leftOf = (month) => Number(month.textContent.split('(')[1].replace(/[^0-9]/g, ''))
    - rows.filter((row) => row.cells[column.month].textContent.startsWith(month.value)).length;
  // What of the chosen transactions the page does not have, and the file neither.
  const missing = () => {
    const chosen = (name) => form.querySelector('select[name=' + name + ']')?.selectedOptions[0];
    if (section.dataset.kept.split(' ').includes(chosen('type')?.value)) return '';
    const month = chosen('month')?.value;
    const left = month ? leftOf(chosen('month')) : Number(section.dataset.left);
    if (!left) return '';
    const isNarrowed = form.querySelector('input').value !== ''
      || ['type', 'status', 'account'].some((name) => chosen(name)?.value);
    return '; ' + (isNarrowed ? 'up to ' : '') + left.toLocaleString('en')
      + (month ? ' of ' + month : '') + ' are not on this page, and left out';
  };
  // Not buttons: a browser does not repeat a table's head that has some on each printed page.
  heads.forEach((head, index) => {
    head.tabIndex = 0;
    head.addEventListener('click', () => sort(head, index));
    head.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      sort(head, index);
    });
  });
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('button').addEventListener('click', save);
  form.hidden = false;
})();
