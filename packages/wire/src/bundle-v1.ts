// Signed as exact text.
import * as z from 'zod/v4'
import { FULL_SHARE } from './cohort.ts'
import { AnyJsonObject } from './json-value.ts'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'

/** Each `document` is parsed separately, so that a runtime can reject the version of one prompt and give the reason. */
const VersionV1 = z.strictObject({ version: Count, digest: Digest, document: AnyJsonObject })

/** Version for a share of the sessions that open from now on (specs/staged-rollouts.md). */
const CandidateV1 = VersionV1.extend({
  /** Per mille. */
  share: z.int().min(0).max(FULL_SHARE),
  salt: z.string().min(1).max(64),
})

/** A runtime reports whether it could use them. */
export const VERSION_PARTS = ['candidate', 'shadow'] as const
export type BundlePart = (typeof VERSION_PARTS)[number]

/** A runtime names the parts that it reads when it requests its bundle; if it names none, its bundle has none. */
export const BUNDLE_PARTS = [...VERSION_PARTS, 'tighten'] as const

export const BundleV1 = z.strictObject({
  bundle_version: z.literal(1),
  project: z.string().min(1).max(100),
  environment: EnvironmentName,
  revision: Count,
  created_at: Instant,
  configs: z
    .array(
      VersionV1.extend({
        ns: PromptNs,
        key: PromptKey,
        /** Absent: every session gets the entry's version. */
        candidate: CandidateV1.exactOptional(),
        /** Shadow version of the entry; it has no effect. Absent: none. */
        shadow: VersionV1.exactOptional(),
        /** True: running sessions take over the entry's version if it is at least as strict as theirs (specs/tighten.md). */
        tighten: z.literal(true).exactOptional(),
      }),
    )
    .max(10_000),
})
export type BundleV1 = z.output<typeof BundleV1>
