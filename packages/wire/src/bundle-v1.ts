// The bundle, version 1: all released configs of one environment at one revision. Signed as exact text.
import { z } from 'zod'
import { AnyJsonObject } from './json-value.ts'
import { Count, Digest, EnvironmentName, Instant, PromptKey, PromptNs } from './names.ts'

/** `document` is parsed one by one, so that a runtime can reject one prompt's version and say why. */
export const BundleV1 = z.strictObject({
  bundle_version: z.literal(1),
  project: z.string().min(1).max(100),
  environment: EnvironmentName,
  revision: Count,
  created_at: Instant,
  configs: z
    .array(
      z.strictObject({
        ns: PromptNs,
        key: PromptKey,
        version: Count,
        digest: Digest,
        document: AnyJsonObject,
      }),
    )
    .max(10_000),
})
export type BundleV1 = z.output<typeof BundleV1>
