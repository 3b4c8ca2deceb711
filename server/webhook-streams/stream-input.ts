// Input shapes of webhook streams. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

export const StreamId = z.string().min(1).max(64)

const LONGEST_NAME = 100

export const StreamInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Give the stream a name.')
    .max(LONGEST_NAME, `A name has at most ${LONGEST_NAME} characters.`),
  url: z
    .string()
    .max(2_000)
    .regex(/^https?:\/\/[^\s/]+/, 'Give an address that begins with https://.'),
  audit: z.boolean().describe('Send the audit log of the project.'),
  decisions: z
    .boolean()
    .describe('Send stops, and calls that were denied or could not be evaluated.'),
  environment: z
    .string()
    .min(1)
    .max(40)
    .nullable()
    .default(null)
    .describe('Environment whose decisions are sent; null: every one.'),
})

export type WebhookStreamInput = z.output<typeof StreamInput>

function hasSource({ audit, decisions }: WebhookStreamInput): boolean {
  return audit || decisions
}

const NO_SOURCE = {
  path: ['audit'],
  error: 'Choose the audit log, decisions, or both.',
}

function isPlaced({ decisions, environment }: WebhookStreamInput): boolean {
  return decisions || environment === null
}

const NOT_PLACED = {
  path: ['environment'],
  error: 'The audit log belongs to no environment. Choose every environment.',
}

export const StreamFormInput = StreamInput.refine(hasSource, NO_SOURCE).refine(isPlaced, NOT_PLACED)
