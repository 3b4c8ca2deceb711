// The conditions of a prompt and one of its versions, for lists of what sessions recorded.
import 'server-only'

/** Over the columns ns, key and config_digest of a query whose `$1` is the project. A version without its prompt is no condition. */
export function promptTerms(
  {
    prompt,
    version,
  }: {
    readonly prompt?: { readonly ns: string; readonly key: string } | undefined
    /** Its number. */
    readonly version?: number | undefined
  },
  bind: (value: unknown) => string,
): readonly string[] {
  if (prompt === undefined) return []
  const ns = bind(prompt.ns)
  const key = bind(prompt.key)
  const ofPrompt = [`ns = ${ns}`, `key = ${key}`]
  if (version === undefined) return ofPrompt
  return [
    ...ofPrompt,
    `config_digest IN (SELECT v.digest FROM config_versions v JOIN configs c ON c.id = v.config_id
       WHERE v.project_id = $1 AND c.ns = ${ns} AND c.key = ${key} AND v.number = ${bind(version)})`,
  ]
}
