import { expect, test } from 'vitest'
import { isDatabaseAway } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each(['08006', '57P01', '53300', '25006', '25P03', '40001', 'ECONNREFUSED', 'P1001'])(
  'code %s means that the database is away for the moment',
  (code) => {
    expect(isDatabaseAway(withCode(code))).toBe(true)
  },
)

test('a code in a message of Prisma that is no failure of the connection is a failure of the statement', () => {
  expect(isDatabaseAway(new Error('Raw query failed. Code: `23505`. Message: `x`'))).toBe(false)
})

test.each(['23505', '42P01', '22P02', '25001'])('code %s is a failure of the statement', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false)
})

test.each([
  'Client has encountered a connection error and is not queryable',
  'Connection terminated unexpectedly',
  'timeout expired',
  'cannot execute INSERT in a read-only transaction',
  'Invalid `prisma.apiKey.findUnique()` invocation: Database error. Code: `08P01`. Message: `server login has been failing`',
])('the message %j means that the database is away for the moment', (message) => {
  expect(isDatabaseAway(new Error(message))).toBe(true)
})
