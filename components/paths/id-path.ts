// The page of what an id names, as far as the id alone tells it. Pure.

const PAGES: ReadonlyMap<string, string> = new Map([
  ['sess', '/sessions/'],
  ['evt', '/e/'],
  ['stop', '/stops/'],
  ['dec', '/decisions/'],
  ['rel', '/releases/'],
  ['rt', '/runtimes/'],
  ['bt', '/backtests/'],
  ['aud', '/settings/audit-log/'],
])

const ID = /^([a-z]{2,6})_\w+$/

/** Null where the id does not tell its page: of a config, for one. */
export function findPagePath(text: string): string | null {
  const place = PAGES.get(ID.exec(text)?.[1] ?? '')
  return place === undefined ? null : `${place}${text}`
}
