import { randomBytes } from 'node:crypto'
import {
  type CompiledConfig,
  type CompileOptions,
  omitUndefined,
  SEMANTICS,
  type SessionStarted,
} from '@signalbox/core'
import { isDemoSession, newId, type Redact } from '@signalbox/wire'
import { GuardrailError } from '../base/guardrail-error.ts'
import { SDK_VERSION } from '../base/version.ts'
import type { AppliedConfig } from '../control-plane/applied-config.ts'
import { readCustomTypes } from '../facts/custom-rules.ts'
import { type Choice, chosenFor, type Offer } from './config-choice.ts'
import type { GuardrailsOptions } from './guardrails-options.ts'
import { capabilitiesRecord } from './harness-capabilities.ts'
import { type ReadBack, readBack } from './recorded-session.ts'
import type { ConfigOrigin } from './session-answers.ts'
import type { SessionOptions } from './session-options.ts'

export const NO_CONFIG = 'No guardrail config is in force yet, so every tool call is denied.'

export interface BeginningParts {
  readonly options: GuardrailsOptions
  readonly ns: string
  readonly key: string
  readonly compile: CompileOptions
  readonly now: () => number
}

export interface SessionPlace {
  readonly environment: string
  /** Id of the runtime; null: it has none. */
  readonly runtime: string | null
}

export interface Beginning extends Choice {
  readonly id: string
  /** null: every call is denied. */
  readonly config: CompiledConfig | null
  /** null: the session is new. */
  readonly before: ReadBack | null
}

/** Throws GuardrailError `resume_invalid` if the session cannot be resumed, and `bad_options` for an unusable id. */
export function beginSession(
  { ns, key, compile, now }: BeginningParts,
  offer: Offer,
  { resume, demo }: SessionOptions,
): Beginning {
  if (resume === undefined) {
    const id = demo ?? newId('sess', { now: now(), random: randomBytes(16) })
    if (demo !== undefined && !isDemoSession(demo))
      throw new GuardrailError('bad_options', `${demo} is not the id of a demo session.`)
    const choice = chosenFor(offer, id)
    return { ...choice, id, config: choice.applied?.config ?? null, before: null }
  }
  const before = readBack(resume, { ns, key, compile })
  const { id, applied } = before
  const config = applied?.config ?? null
  return { id, applied, origin: toOrigin(applied), shadow: null, config, before }
}

function toOrigin(applied: AppliedConfig | null): ConfigOrigin {
  if (applied === null) return { kind: 'none', reason: NO_CONFIG }
  return { kind: 'applied', digest: applied.digest, revision: null, note: null }
}

/** Data of `session.started`. `version` null: no config is in force. */
export function startedData(
  { ns, key, options }: BeginningParts,
  session: SessionOptions,
  place: SessionPlace & {
    readonly version: number | null
    readonly redact: Redact
    readonly unkept: readonly string[]
  },
): SessionStarted {
  const customTypes = readCustomTypes(options.custom ?? {})
  return {
    semantics: SEMANTICS,
    ns,
    key,
    environment: place.environment,
    harness: session.harness ?? options.harness ?? { name: 'library' },
    sdk: SDK_VERSION,
    ...omitUndefined({
      runtime: place.runtime ?? undefined,
      config_version: place.version === null || place.version === 0 ? undefined : place.version,
      workspace_root: session.workspaceRoot,
      deadline_at: session.deadlineAt === undefined ? undefined : Math.trunc(session.deadlineAt),
      budget: session.budget,
      tags: session.tags === undefined ? undefined : redactedTags(session.tags, place.redact),
      capabilities:
        session.capabilities === undefined
          ? undefined
          : {
              ...capabilitiesRecord(session.capabilities),
              ...(place.unkept.length === 0 ? {} : { unkept_content: place.unkept }),
            },
      custom_types: customTypes.length === 0 ? undefined : customTypes,
    }),
  }
}

/** Tags are short, so a name or value that contains a secret is replaced completely. */
function redactedTags(
  tags: Readonly<Record<string, string>>,
  redact: Redact,
): Readonly<Record<string, string>> {
  const safe = (text: string) => (redact(text) === text ? text : '[redacted]')
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [safe(name), safe(value)]))
}
