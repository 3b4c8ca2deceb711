import * as z from 'zod/v4'

export const ManagedRow = z.record(z.string(), z.unknown())
export type ManagedRow = z.output<typeof ManagedRow>

/** Page of any list of the management API. The fields of its rows are in the API document. */
export const ManagedRows = z.object({
  rows: z.array(ManagedRow),
  next: z.string().nullable().describe('Pass it as `after`; null on the last page.'),
})
