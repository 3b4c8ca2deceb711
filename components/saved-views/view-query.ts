/** Parameters that are not stored, because they depend on the user or the moment. */
const NOT_SAVED = ['project', 'view', 'row', 'peek', 'open', 'cursor']

/** Parameters that are no filter. With only these, a list opens the user's default view. */
const BARE = [...NOT_SAVED, 'env']

/** Sorted, so that equal views have equal text. */
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

/** Value of `view` that opens the list without a saved view. */
export const STANDARD = 'standard'

interface Place {
  readonly list: string
  readonly query: string
  readonly id: string
}

/** `kept`: parameters that the view does not set and that stay unchanged: project, environment. */
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

/** For a view without an environment, the selected one does not matter. */
export function isChanged(search: string, query: string): boolean {
  const shown = new URLSearchParams(viewQuery(search))
  if (!new URLSearchParams(query).has('env')) shown.delete('env')
  return shown.toString() !== viewQuery(query)
}
