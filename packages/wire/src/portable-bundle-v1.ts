// Lines: the head, the events and the seal; every line is canonical JSON (specs/portable-bundle.md).

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import * as z from 'zod/v4'
import { canonicalJson, textDigest } from './digest.ts'
import { AnyJsonObject } from './json-value.ts'
import { KeyId } from './key-record-v1.ts'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs, SessionId } from './names.ts'
import { derivePublicKey, signText } from './signature.ts'

/** Limit of the whole file. A session of 50,000 events needs less than half of it. */
export const MAX_PORTABLE_BYTES = 64 * 1024 * 1024

const Text = z.string().max(100_000)
const Name = z.string().min(1).max(300)

interface PortableCheck {
  readonly checker: string
  readonly pointer: string
  readonly type: string
  readonly status:
    | 'passed'
    | 'nothing_to_check'
    | 'incomplete'
    | 'not_evaluated'
    | 'bypassed'
    | 'error'
  readonly sentence: string
  readonly because: readonly number[]
  readonly children: readonly PortableCheck[] | null
}

const Check: z.ZodType<PortableCheck> = z.strictObject({
  checker: Name,
  pointer: Text,
  type: Name,
  status: z.enum([
    'passed',
    'nothing_to_check',
    'incomplete',
    'not_evaluated',
    'bypassed',
    'error',
  ]),
  sentence: Text,
  because: z.array(Count).readonly(),
  children: z
    .array(z.lazy(() => Check))
    .readonly()
    .nullable(),
})

const PortableReading = z.strictObject({
  verdict: Name,
  /** Reason in one sentence, without a period. */
  sentence: Text,
  /** Message to the agent; null: none. */
  message: Text.nullable(),
  /** Steps that would unblock the stop or allow the call. Empty: nothing is missing, or the steps could not be computed. */
  steps: z
    .array(
      z.strictObject({
        text: Text,
        owner: z.enum(['agent', 'operator', 'config']),
        /** Reason why no one can take the step; null: someone can. */
        obstacle: Text.nullable(),
      }),
    )
    .readonly(),
  /** Checks of a stop; null: the config has no checker, or the decision is about a call. */
  checks: Check.nullable(),
  /** Rules that were evaluated for a call. Empty for a stop. */
  rules: z
    .array(
      z.strictObject({
        rule: Name,
        pointer: Text,
        type: Name,
        sentence: Text,
        mode: z.enum(['enforce', 'shadow', 'off']),
        result: z.enum(['allow', 'deny', 'error']),
      }),
    )
    .readonly(),
})

export const PortableHeadV1 = z.strictObject({
  portable_bundle_version: z.literal(1),
  kind: z.enum(['stop', 'decision']),
  /** `stop_…` or `dec_…` */
  id: Name,
  url: z.string().max(2_000),
  made_at: Instant,
  engine: Name,
  /** Version of the runtime's library; null: not recorded. */
  runtime: Name.nullable(),
  project: z.string().min(1).max(100),
  environment: EnvironmentName,
  ns: PromptNs,
  key: PromptKey,
  session: SessionId,
  seq: Count,
  at: Instant,
  configs: z
    .array(
      z.strictObject({
        digest: Digest,
        /** null: the number is not known. */
        version: Count.nullable(),
        document: AnyJsonObject,
      }),
    )
    .max(1_000),
  /** Parts that the file lacks, and the reasons. Empty: the file has everything on which the decision rests. */
  missing: z.array(z.strictObject({ what: z.enum(['events', 'config']), why: Text })).max(1_000),
  /** Number of values that were removed before the log was recorded. */
  redacted: Count,
  reading: PortableReading,
})
export type PortableHeadV1 = z.output<typeof PortableHeadV1>

export const Seal = z.strictObject({
  portable_bundle_version: z.literal(1),
  head: Digest,
  /** Digest of the lines of all events, each with its line break. */
  events: Digest,
  count: Count,
  /** Public key of the project that signed, base64url. */
  public_key: KeyId,
})

export const Sealed = z.strictObject({
  seal: Seal,
  /** Ed25519 over the canonical text of `seal`, base64url. */
  signature: z.string().max(200),
})

export interface PortableEnds {
  readonly first: string
  readonly last: string
}

/**
 * For callers that produce the file in pieces. `digest`: of the event lines, each with its line break. `seed`: of the active signing key.
 */
export function portableEnds(
  head: PortableHeadV1,
  events: { readonly digest: string; readonly count: number },
  seed: string,
): PortableEnds {
  const first = canonicalJson(head)
  const seal = {
    portable_bundle_version: 1,
    head: textDigest(first),
    events: events.digest,
    count: events.count,
    public_key: derivePublicKey(seed),
  }
  const signature = signText(canonicalJson(seal), seed)
  return { first, last: canonicalJson({ seal, signature }) }
}

/** Returns the whole file. `events`: canonical JSON, one event each, ascending. */
export function sealPortableBundle(
  head: PortableHeadV1,
  events: readonly string[],
  seed: string,
): string {
  const log = { digest: computeLinesDigest(events), count: events.length }
  const { first, last } = portableEnds(head, log, seed)
  return [first, ...events, last, ''].join('\n')
}

export function computeLinesDigest(lines: readonly string[]): string {
  const hash = sha256.create()
  for (const line of lines) hash.update(utf8ToBytes(`${line}\n`))
  return `sha256:${bytesToHex(hash.digest())}`
}
