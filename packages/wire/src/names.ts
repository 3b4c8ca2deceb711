// All limits on texts are in this file.
import * as z from 'zod/v4'

export const MAX_CONFIG_BYTES = 1024 * 1024
export const MAX_EVENT_BYTES = 256 * 1024

export const RuleId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'Use 1 to 64 lower-case letters, digits, ".", "_" or "-".')
export const ToolName = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'Use 1 to 64 lower-case letters, digits, "_" or "-".')
export const HarnessToolName = z
  .string()
  .regex(/^[^\p{Cc}]{1,200}$/u, 'Use 1 to 200 characters without control characters.')
export const PromptNs = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/,
    'Use letters, digits, ".", "_", "-" and "/" between parts.',
  )
  .max(120)
export const PromptKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'Use 1 to 100 letters, digits, ".", "_" or "-".')
export const EnvironmentName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'Use 1 to 40 lower-case letters, digits or "-".')
export const SessionId = z
  .string()
  .regex(/^sess_[A-Za-z0-9]{1,40}$/, 'Use "sess_" and 1 to 40 letters or digits.')
export const RuntimeId = z
  .string()
  .regex(/^rt_[A-Za-z0-9]{1,40}$/, 'Use "rt_" and 1 to 40 letters or digits.')
export const Digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'Use "sha256:" and 64 hexadecimal digits.')
export const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'Use 64 hexadecimal digits.')
/** Epoch milliseconds up to the year 5138. */
export const Instant = z.int().min(0).max(99_999_999_999_999)
export const Count = z.int().min(0).max(2_147_483_647)
/** One line, because the agent reads it within one. */
export const OrderReason = z
  .string()
  .regex(/^(?=.*\S)[^\p{Cc}]{1,500}$/u, 'Use one line of 1 to 500 characters.')
export const FilePath = z.string().min(1).max(4096)
