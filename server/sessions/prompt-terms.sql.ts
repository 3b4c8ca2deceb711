// Uses the columns ns, key and config_digest of a statement whose `$1` is the project.
import 'server-only'
import type { PromptName } from '@/server/platform/list/define-list.ts'

type Bind = (value: unknown) => string

export function writePromptTerm({ ns, key }: PromptName, bind: Bind): string {
  return `ns = ${bind(ns)} AND key = ${bind(key)}`
}

/** A version without its prompt sets no condition. */
export function writeVersionTerm(
  version: number,
  bind: Bind,
  { prompt }: { readonly prompt?: PromptName | undefined },
): string {
  if (prompt === undefined) return 'true'
  // An array is computed once. A set would be joined with all rows of the prompt before they are sorted.
  return `config_digest = ANY(ARRAY(SELECT v.digest FROM config_versions v JOIN configs c ON c.id = v.config_id
    WHERE v.project_id = $1 AND c.ns = ${bind(prompt.ns)} AND c.key = ${bind(prompt.key)} AND v.number = ${bind(version)}))`
}
