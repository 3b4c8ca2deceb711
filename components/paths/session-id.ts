/** Id of the session in the id of a stop, a denied call or a delivery: `sess_…` for `stop_…_7`. */
export function toParentSessionId(id: string): string {
  return id.replace(/^[a-z]+_/, 'sess_').replace(/_\d+$/, '')
}
