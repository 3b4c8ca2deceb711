// A moment in an input.
import { z } from 'zod'

/** Epoch ms, no more than a Date holds. */
export const Instant = z.number().int().min(0).max(8_640_000_000_000_000)
