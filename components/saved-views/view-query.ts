// Parts of a list's address that a saved view keeps, and the address of a saved view. Pure.

/** Belong to a reader and a moment: which row, which project, which view. */
const NOT_SAVED = ['project', 'view', 'row', 'peek', 'open', 'cursor']

/** The address names no filter: then the list opens with the person's default view. */
const BARE = [...NOT_SAVED, 'env']

/** Sorted, so that two addresses of one view are equal. */
export function viewQuery(search: string): string {
  const params = new URLSearchParams(search)
  for (const name of NOT_SAVED) params.delete(name)
  params.sort()
  return params.toString()
}

export function isBare(search: string): boolean {
  const params = new URLSearchParams(search)
  return [...params.keys()].every((name) => BARE.includes(name))
}

/** States that no saved view is wanted where one would open by default. */
export const STANDARD = 'standard'

interface Place {
  readonly list: string
  readonly query: string
  readonly id: string
}

/** `kept`: parameters that the view does not set and that stay unchanged: the project, the environment. */
export function viewPath(
  { list, query, id }: Place,
  kept: { readonly project?: string | undefined; readonly env?: string | undefined } = {},
): string {
  const params = new URLSearchParams(query)
  if (kept.env !== undefined && !params.has('env')) params.set('env', kept.env)
  if (kept.project !== undefined) params.set('project', kept.project)
  params.set('view', id)
  return `/${list === 'settings/audit' ? 'settings/audit-log' : list}?${params.toString()}`
}

/** True when the address shows something else than the view: another environment is chosen for a view that names none. */
export function isChanged(search: string, query: string): boolean {
  const shown = new URLSearchParams(viewQuery(search))
  if (!new URLSearchParams(query).has('env')) shown.delete('env')
  return shown.toString() !== viewQuery(query)
}
