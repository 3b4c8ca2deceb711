const PAGES: ReadonlyMap<string, string> = new Map([
  ['sess', '/sessions/'],
  ['evt', '/e/'],
  ['stop', '/stops/'],
  ['dec', '/decisions/'],
  ['rel', '/releases/'],
  ['rt', '/runtimes/'],
  ['bkt', '/backtests/'],
  ['aud', '/settings/audit-log/'],
])

const ID = /^([a-z]{2,6})_\w+$/

/** Null: the id does not determine its page, as for a config. */
export function findPagePath(text: string): string | null {
  const place = PAGES.get(ID.exec(text)?.[1] ?? '')
  return place === undefined ? null : `${place}${text}`
}
