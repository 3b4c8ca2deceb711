import { expect, test } from 'vitest'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { errorResponse } from './problem.ts'

test.each([
  [
    'a connection that Prisma lost',
    Object.assign(new Error('Raw query failed. Code: `N/A`.'), {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'ConnectionClosed' } } },
    }),
  ],
  ['a lock that was not free in time', new ServiceError('unavailable', 'Try again in a moment.')],
])('%s is answered with 503 and a time to send again', (_, error) => {
  const { status, headers } = errorResponse(error)
  expect([status, headers.get('retry-after')]).toEqual([503, '1'])
})

test.each([
  ['not_found', 404],
  ['limit', 429],
] as const)('the service error %s is answered with %i without a time', (code, expected) => {
  const { status, headers } = errorResponse(new ServiceError(code, 'No.'))
  expect([status, headers.get('retry-after')]).toEqual([expected, null])
})
