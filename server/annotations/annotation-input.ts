// Input shapes of annotations. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

const Id = z.string().min(1).max(80)
const Text = z
  .string()
  .trim()
  .min(1, 'Write something first.')
  .max(4_000, 'An annotation has at most 4,000 characters.')

export const SessionIdInput = z.object({ sessionId: Id })
export const AnnotationIdInput = z.object({ id: Id })
export const AnnotationTextInput = z.object({ text: Text })
export const EditAnnotationInput = AnnotationTextInput.extend({ id: Id })
export const WriteAnnotationInput = AnnotationTextInput.extend({
  sessionId: Id,
  seq: z.int().min(1).max(2_147_483_647).nullable(),
})
