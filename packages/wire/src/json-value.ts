import type { JsonObject, JsonValue } from '@signalbox/core'
import * as z from 'zod/v4'

/** Checks nothing more, because the parser of the whole text has proved that the value is JSON that can be stored. */
export const AnyJson: z.ZodType<JsonValue> = z.custom<JsonValue>((value) => value !== undefined)

export const AnyJsonObject: z.ZodType<JsonObject> = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Give an object.',
)
