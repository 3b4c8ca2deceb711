import { omitUndefined, type PolicyDocument } from '@signalbox/core'
import type { DeclaredPolicy } from './policy-declaration.ts'
import type { RuleOptions } from './rule-options.ts'
import type { RuleScribe } from './rule-scribe.ts'

export interface SequentialDependencyOptions extends RuleOptions {
  /** `dependencies[tool]`: tools that must each have succeeded before `tool` may run. */
  readonly dependencies: { readonly [tool: string]: Iterable<string> }
}

export class SequentialDependencyPolicy implements DeclaredPolicy {
  readonly #options: SequentialDependencyOptions

  constructor(options: SequentialDependencyOptions) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe): PolicyDocument {
    const entries = Object.entries(this.#options.dependencies)
    return {
      ...scribe.rule('sequential-dependency', this.#options),
      type: 'sequential_dependency',
      dependencies: Object.fromEntries(entries.map(([tool, needed]) => [tool, [...needed]])),
    }
  }
}

export interface ReadBeforeWriteOptions extends RuleOptions {
  /** Absent: `read_file`. */
  readonly readTools?: Iterable<string>
  /** Absent: `write_file` and `edit_file`, as far as the prompt declares them. */
  readonly writeTools?: Iterable<string>
  /** Arguments that hold paths; every path must pass. Absent: `path`, `file_path`. */
  readonly pathParams?: Iterable<string>
  /** Prefix under which the tools see the workspace. Absent: none. */
  readonly mountPoint?: string
  /** Absent: true. */
  readonly readsExpireOnChange?: boolean
  /** Absent: true. */
  readonly writesCountAsReads?: boolean
}

export class ReadBeforeWritePolicy implements DeclaredPolicy {
  readonly #options: ReadBeforeWriteOptions

  constructor(options: ReadBeforeWriteOptions = {}) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe): PolicyDocument {
    const { readTools, writeTools, pathParams, mountPoint } = this.#options
    const { readsExpireOnChange, writesCountAsReads } = this.#options
    return {
      ...scribe.rule('read-before-write', this.#options),
      type: 'read_before_write',
      read_tools: [...(readTools ?? selectDeclared(scribe, ['read_file']))],
      write_tools: [...(writeTools ?? selectDeclared(scribe, ['write_file', 'edit_file']))],
      ...omitUndefined({
        path_params: pathParams === undefined ? undefined : [...pathParams],
        mount_point: mountPoint,
        reads_expire_on_change: readsExpireOnChange,
        writes_count_as_reads: writesCountAsReads,
      }),
    }
  }
}

/** Usual names that the prompt declares. If it declares none: all of them, so that the mistake is refused. */
function selectDeclared(scribe: RuleScribe, usual: readonly string[]): readonly string[] {
  const declared = usual.filter((tool) => scribe.tools.has(tool))
  return declared.length === 0 ? usual : declared
}

export interface RateLimitOptions extends RuleOptions {
  readonly tools: Iterable<string>
  readonly maxCalls: number
  readonly perSeconds: number
}

export class RateLimitPolicy implements DeclaredPolicy {
  readonly #options: RateLimitOptions

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe): PolicyDocument {
    const { tools, maxCalls, perSeconds } = this.#options
    return {
      ...scribe.rule('rate-limit', this.#options),
      type: 'rate_limit',
      tools: [...tools],
      max_calls: maxCalls,
      per_seconds: perSeconds,
    }
  }
}

interface ExpressionPolicyCommon extends RuleOptions {
  /** Absent: every tool. */
  readonly tools?: Iterable<string>
  /** Message to the agent. Absent: `Denied by policy.` */
  readonly reason?: string
}

/** CEL over `tool`, `args`, `calls` and `session` (specs/expressions.md). */
export type ExpressionPolicyOptions = ExpressionPolicyCommon &
  ({ readonly denyWhen: string } | { readonly require: string })

export class ExpressionPolicy implements DeclaredPolicy {
  readonly #options: ExpressionPolicyOptions

  constructor(options: ExpressionPolicyOptions) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe): PolicyDocument {
    const { tools, reason } = this.#options
    return {
      ...scribe.rule('expression', this.#options),
      type: 'expression',
      ...(tools === undefined ? {} : { tools: [...tools] }),
      ...('denyWhen' in this.#options
        ? { deny_when: this.#options.denyWhen }
        : { require: this.#options.require }),
      ...omitUndefined({ reason }),
    }
  }
}

export interface ApprovalOptions extends RuleOptions {
  readonly tools: Iterable<string>
  /** CEL condition on the call; false: no one is asked. Absent: every call needs approval. */
  readonly when?: string
  /** Seconds to wait for an answer, after which the call is denied. */
  readonly timeoutSeconds: number
}

export class ApprovalPolicy implements DeclaredPolicy {
  readonly #options: ApprovalOptions

  constructor(options: ApprovalOptions) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe): PolicyDocument {
    const { tools, when, timeoutSeconds } = this.#options
    return {
      ...scribe.rule('approval', this.#options),
      type: 'approval',
      tools: [...tools],
      ...(when === undefined ? {} : { when }),
      timeout_seconds: timeoutSeconds,
    }
  }
}
