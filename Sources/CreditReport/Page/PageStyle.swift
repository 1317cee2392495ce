/// How a page looks: on paper, phones and wide screens, light and dark. The colours of charts are
/// those of Okabe and Ito, which people who do not tell red from green tell apart.
enum PageStyle {
  static let text = """

    :root { color-scheme: light dark; --back: #fff; --card: #fff; --edge: #e3e6ea; --text: #1a1d21;
      --soft: #5c6670; --plus: #00684a; --minus: #b3261e; --line: #0072b2; --fill: #0072b218;
      --c0: #0072b2; --c1: #e69f00; --c2: #009e73; --c3: #cc79a7; --c4: #56b4e9; --c5: #d55e00;
      --c6: #b8ab00; --c7: #8a929a; }
    @media screen { :root { --back: #f6f7f9; } }
    @media screen and (prefers-color-scheme: dark) { :root { --back: #111418; --card: #1a1e23;
      --edge: #30363d; --text: #e6e9ec; --soft: #9aa4ae; --plus: #5fd0a5; --minus: #ff938a;
      --line: #56b4e9; --fill: #56b4e922; --c0: #2f8fd0; --c4: #bfe3fb; --c2: #1fbf92; --c6:
      #f0e442; } }
    * { box-sizing: border-box; }
    body { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      margin: 0 auto; max-width: 1560px; padding: 1.5rem clamp(.75rem, 2.5vw, 2.5rem);
      color: var(--text); background: var(--back); }
    header p, footer, small, .note, .more, .empty { color: var(--soft); }
    h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
    h1, header p { overflow: hidden; text-overflow: ellipsis; }
    header p { margin: .25rem 0 1.25rem; }
    h2 { font-size: 1rem; margin: 0 0 .75rem; }
    small { font-size: .8rem; font-weight: 400; }
    .tiles > div, figure, #transactions { background: var(--card); border: 1px solid var(--edge);
      border-radius: 8px; padding: 1rem; margin: 0; min-width: 0; break-inside: avoid; }
    .tiles { display: grid; gap: .75rem; margin-bottom: .75rem;
      grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); }
    .tiles h2 { font-weight: 500; font-size: .85rem; color: var(--soft); margin: 0; }
    .figure { font-size: 1.55rem; line-height: 1.25; font-weight: 600; margin: .15rem 0;
      font-variant-numeric: tabular-nums; white-space: nowrap; overflow: hidden;
      text-overflow: ellipsis; }
    .figure small { margin-left: .35rem; }
    .figure.several { font-size: 1.1rem; }
    .figure.long { font-size: .7rem; white-space: normal; }
    .note { font-size: .8rem; margin: 0; }
    .charts, .shares { display: grid; gap: .75rem; margin-bottom: .75rem;
      grid-template-columns: minmax(0, 1fr); }
    @media (min-width: 1000px) { .charts, .shares { grid-template-columns: repeat(2, minmax(0,
      1fr)); }
      .charts figure:first-child:nth-last-child(odd) { grid-column: 1 / -1; } }
    .chart { display: grid; grid-template-columns: 4.2rem minmax(0, 1fr); }
    .plot { height: 210px; }
    .y { position: relative; font-size: .75rem; color: var(--soft);
      font-variant-numeric: tabular-nums; }
    .y span { position: absolute; right: .5rem; transform: translateY(-50%); white-space: nowrap; }
    .x { position: relative; height: 2.4rem; font-size: .75rem; line-height: 1.2;
      color: var(--soft); margin-top: .35rem; overflow: hidden; }
    .x span { position: absolute; transform: translateX(-50%); white-space: nowrap;
      text-align: center; }
    .x .first { transform: none; left: 0; text-align: left; }
    .x .last { transform: none; right: 0; text-align: right; }
    svg { display: block; width: 100%; height: 100%; overflow: visible; }
    svg line { stroke: var(--edge); vector-effect: non-scaling-stroke; }
    svg line.zero { stroke: var(--soft); }
    .line { fill: none; stroke: var(--line); stroke-width: 2; vector-effect: non-scaling-stroke;
      stroke-linejoin: round; }
    .area { fill: var(--fill); }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .5rem 0 0;
      padding: 0; font-size: .8rem; }
    .legend li { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .legend i { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px;
      margin-right: .35rem; }
    .c0 { fill: var(--c0); background: var(--c0); } .c1 { fill: var(--c1); background: var(--c1); }
    .c2 { fill: var(--c2); background: var(--c2); } .c3 { fill: var(--c3); background: var(--c3); }
    .c4 { fill: var(--c4); background: var(--c4); } .c5 { fill: var(--c5); background: var(--c5); }
    .c6 { fill: var(--c6); background: var(--c6); } .c7 { fill: var(--c7); background: var(--c7); }
    .wide-table { overflow-x: auto; }
    table { border-collapse: collapse; width: 100%; font-size: .87rem; }
    th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid var(--edge);
      white-space: nowrap; vertical-align: top; }
    tr > :first-child { padding-left: 0; } tr > :last-child { padding-right: 0; }
    tbody tr:last-child td { border-bottom: 0; }
    th { font-weight: 500; color: var(--soft); }
    .n { text-align: right; font-variant-numeric: tabular-nums; }
    .name { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; }
    .id { max-width: 11rem; color: var(--soft); }
    .shares table { font-size: .84rem; } .shares th, .shares td { padding: .35rem .4rem; }
    .shares .name { max-width: 0; min-width: 8rem; width: 99%; white-space: normal; }
    .minus { color: var(--minus); }
    .pending td, .failed td { color: var(--soft); }
    .share { min-width: 9rem; } .columns .share { min-width: 3.6rem; }
    .share i { display: block; height: 3px; border-radius: 2px; background: var(--line); }
    form { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: .75rem; align-items: center; }
    form[hidden] { display: none; }
    input, select, th button { font: inherit; color: inherit; }
    input, select { padding: .3rem .5rem; border: 1px solid var(--edge); border-radius: 6px;
      background: var(--back); max-width: 100%; }
    select { max-width: 13rem; }
    th button { all: unset; cursor: pointer; }
    th button:focus-visible { outline: 2px solid var(--line); }
    th[aria-sort=ascending] button::after { content: " ↑"; }
    th[aria-sort=descending] button::after { content: " ↓"; }
    .more { display: none; font-size: .8rem; }
    footer { font-size: .8rem; margin-top: 1rem; }
    @media screen and (max-width: 700px) { .x .wide { display: none; }
      .chart { grid-template-columns: 3.2rem minmax(0, 1fr); } .plot { height: 170px; }
      .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); } .figure { font-size: 1.3rem; }
      .tiles > div, figure, #transactions { padding: .75rem; } table { font-size: .8rem; }
      .columns table, .columns thead, .columns tbody { display: block; }
      .columns tr { display: grid; border-bottom: 1px solid var(--edge); padding: .35rem 0;
      grid-template-columns: 2.6rem repeat(var(--columns), minmax(0, 1fr)); }
      .shares .columns :is(th, td) { border: 0; padding: 0 .2rem 0 0; white-space: normal;
      font-size: .75rem; }
      .shares .columns tr > :first-child { grid-column: 1 / -1; max-width: none; }
      .columns .share { min-width: 0; } #transactions .name { max-width: 6.5rem; }
      #transactions :is(:nth-child(3), :nth-child(4), :nth-child(7), :nth-child(8)):is(th, td) {
      display: none; } }
    @media print { @page { margin: 14mm; }
      body { font-size: 10.5px; padding: 0 1px; max-width: none; } form { display: none; }
      .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
      .shares { grid-template-columns: minmax(0, 1fr); }
      .charts figure:first-child:nth-last-child(odd) { grid-column: 1 / -1; }
      .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); } .x .wide { display: none; }
      .plot { height: 130px; } .wide-table { overflow: visible; } th, td { padding: .2rem .4rem; }
      #transactions { break-inside: auto; border: 0; padding: 0; } tr { break-inside: avoid; }
      #transactions tbody tr:nth-child(n+51) { display: none; } .more { display: block; }
      .name { max-width: 8rem; } .id { max-width: 7rem; }
      .c0, .c1, .c2, .c3, .c4, .c5, .c6, .c7, .share i { print-color-adjust: exact;
        -webkit-print-color-adjust: exact; } }

    """
}
