// Input shapes of saved views. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

/** `shared` requires `view.share`. */
export const NameViewInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Give the view a name.')
    .max(80, 'A name has at most 80 characters.'),
  shared: z.boolean(),
})

export const ViewQuery = z
  .string()
  .max(2_000, 'The address is too long to be saved. Take a filter away.')
