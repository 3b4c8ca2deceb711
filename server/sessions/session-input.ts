import { z } from 'zod'
import { filterShape } from '@/server/platform/trpc/list-input.ts'
import { SESSIONS } from './sessions.list.ts'

const { madeBy: _onlyOneself, ...shape } = filterShape(SESSIONS)

export const SessionFilterInput = z.object({
  ...shape,
  /** Only sessions of runtimes with a key that the user created. */
  mine: z.boolean().optional(),
})
