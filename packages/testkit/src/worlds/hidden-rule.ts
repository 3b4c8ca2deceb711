// Rules that the agent of a world keeps, though no config has them, and the same rules as documents of a config.
import type { CheckerDocument, ConfigDocument, PolicyDocument } from '@signalbox/core'

export type HiddenRule =
  /** `tool` runs only after a success of `needs`. */
  | { readonly kind: 'order'; readonly tool: string; readonly needs: string }
  /** … that is newer than the last success of `since`. */
  | {
      readonly kind: 'fresh'
      readonly tool: string
      readonly needs: string
      readonly since: string
    }
  /** An existing file is read before `tool` writes it. */
  | { readonly kind: 'read'; readonly tool: string; readonly reader: string }
  /** The last run of `needs` succeeded, and is newer than the last success of `since`, when the agent stops. */
  | { readonly kind: 'finish'; readonly needs: string; readonly since: string }
  /** The file exists when the agent stops. */
  | { readonly kind: 'file'; readonly file: string }
  /** At most `calls` calls of `tool` in any `seconds` seconds. */
  | {
      readonly kind: 'rate'
      readonly tool: string
      readonly calls: number
      readonly seconds: number
    }
  /** The argument has one of the values. */
  | {
      readonly kind: 'value'
      readonly tool: string
      readonly argument: string
      readonly values: readonly string[]
    }

/** No rule makes an agent that keeps the others go in circles: prerequisites call nothing that makes others outdated. */
export const HIDDEN_RULES: readonly HiddenRule[] = [
  { kind: 'fresh', tool: 'deploy', needs: 'run_tests', since: 'write_file' },
  { kind: 'fresh', tool: 'git_push', needs: 'lint', since: 'write_file' },
  { kind: 'fresh', tool: 'notify', needs: 'build', since: 'migrate_db' },
  { kind: 'fresh', tool: 'refund', needs: 'lookup_customer', since: 'send_mail' },
  { kind: 'order', tool: 'deploy', needs: 'build' },
  { kind: 'order', tool: 'migrate_db', needs: 'backup_db' },
  { kind: 'order', tool: 'refund', needs: 'verify_identity' },
  { kind: 'order', tool: 'verify_identity', needs: 'lookup_customer' },
  { kind: 'order', tool: 'close_ticket', needs: 'create_ticket' },
  { kind: 'order', tool: 'git_push', needs: 'run_tests' },
  { kind: 'read', tool: 'write_file', reader: 'read_file' },
  { kind: 'finish', needs: 'run_tests', since: 'write_file' },
  { kind: 'finish', needs: 'notify', since: 'deploy' },
  { kind: 'file', file: 'CHANGELOG.md' },
  { kind: 'rate', tool: 'send_mail', calls: 2, seconds: 600 },
  { kind: 'rate', tool: 'create_ticket', calls: 1, seconds: 60 },
  { kind: 'value', tool: 'deploy', argument: 'target', values: ['staging', 'preview'] },
  { kind: 'value', tool: 'refund', argument: 'currency', values: ['EUR', 'USD'] },
]

/** Complete config with these rules, all enforced. */
export function toConfig(rules: readonly HiddenRule[]): ConfigDocument {
  const policies = rules.flatMap((rule, i) => toPolicy(rule, `hidden-${i}`) ?? [])
  const checkers = rules.flatMap((rule, i) => toChecker(rule, `hidden-${i}`) ?? [])
  const [first, ...others] = checkers
  const checker: CheckerDocument | undefined =
    first === undefined || others.length === 0
      ? first
      : { id: 'all-hidden', type: 'composite', checkers }
  return {
    schema_version: 1,
    ns: 'world',
    key: 'agent',
    policies,
    ...(checker === undefined ? {} : { task_completion_checker: checker }),
  }
}

function toPolicy(rule: HiddenRule, id: string): PolicyDocument | null {
  switch (rule.kind) {
    case 'order':
      return { id, type: 'sequential_dependency', dependencies: { [rule.tool]: [rule.needs] } }
    case 'fresh': {
      const dependencies = { [rule.tool]: [rule.needs] }
      return { id, type: 'sequential_dependency', dependencies, after: [rule.since] }
    }
    case 'read': {
      const tools = { read_tools: [rule.reader], write_tools: [rule.tool] }
      return { id, type: 'read_before_write', ...tools, reads_expire_on_change: false }
    }
    case 'rate': {
      const limit = { max_calls: rule.calls, per_seconds: rule.seconds }
      return { id, type: 'rate_limit', tools: [rule.tool], ...limit }
    }
    case 'value': {
      const at = `args.${rule.argument}`
      const values = rule.values.map((value) => JSON.stringify(value)).sort()
      const require = `!has(${at}) || ${at} in [${values.join(', ')}]`
      return { id, type: 'expression', tools: [rule.tool], require }
    }
    default:
      return null
  }
}

function toChecker(rule: HiddenRule, id: string): CheckerDocument | null {
  if (rule.kind === 'finish')
    return { id, type: 'tool_succeeded', tool: rule.needs, after: [rule.since] }
  return rule.kind === 'file' ? { id, type: 'files_exist', files: [rule.file] } : null
}

/** True: the documents decide alike. A ceiling may be one higher or lower in another window: nothing tells them apart. */
export function isHiddenRule(
  hidden: HiddenRule,
  found: PolicyDocument | CheckerDocument | { readonly type: string },
): boolean {
  if (hidden.kind === 'rate' && found.type === 'rate_limit' && 'max_calls' in found)
    return (
      JSON.stringify(found.tools) === JSON.stringify([hidden.tool]) &&
      Math.abs(Number(found.max_calls) - hidden.calls) <= 1
    )
  const known = toPolicy(hidden, '') ?? toChecker(hidden, '')
  return JSON.stringify(toBare(known)) === JSON.stringify(toBare(found))
}

function toBare(rule: object | null): object {
  const { id: _id, mode: _mode, ...bare }: { id?: unknown; mode?: unknown } = rule ?? {}
  return Object.fromEntries(Object.entries(bare).sort(([a], [b]) => (a < b ? -1 : 1)))
}
