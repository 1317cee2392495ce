/// What a page does by itself: it searches, filters and sorts the transactions in it.
enum PageScript {
  /// The script's SHA-256 in base 64, by which the page says that no other may run:
  /// `openssl dgst -sha256 -binary | base64`.
  static let sha256 = "L5OT0MHjmz+KC76GJcJKLgvTogcvY8Qjo8sam7uBmBw="

  static let text = """

    'use strict';
    (() => {
      const section = document.getElementById('transactions');
      if (!section) return;
      const form = section.querySelector('form');
      const body = section.querySelector('tbody');
      const rows = [...body.rows];
      const texts = rows.map((row) => row.textContent.toLowerCase());
      const column = { account: 1, type: 2, status: 3, month: 0 };
      const show = () => {
        const words = form.querySelector('input').value.toLowerCase().split(' ');
        const menus = [...form.querySelectorAll('select')].filter((menu) => menu.value);
        let count = 0;
        rows.forEach((row, index) => {
          const fits = words.every((word) => texts[index].includes(word)) &&
            menus.every((menu) => {
              const text = row.cells[column[menu.name]].textContent;
              return menu.name === 'month' ? text.startsWith(menu.value) : text === menu.value;
            });
          row.hidden = !fits;
          if (fits) count += 1;
        });
        form.querySelector('output').textContent =
          count === rows.length ? '' : count.toLocaleString('en') + ' shown';
      };
      const value = (row, index) => {
        const cell = row.cells[index];
        return cell.dataset.v === undefined ? cell.textContent : BigInt(cell.dataset.v);
      };
      const sort = (head, index) => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        for (const other of head.parentNode.cells) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const sorted = rows.map((row) => [value(row, index), row]);
        sorted.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
        body.append(...sorted.map(([, row]) => row));
      };
      [...section.querySelector('thead tr').cells].forEach((head, index) => {
        head.firstChild.addEventListener('click', () => sort(head, index));
      });
      form.addEventListener('input', show);
      form.addEventListener('submit', (event) => event.preventDefault());
      form.hidden = false;
    })();

    """
}
