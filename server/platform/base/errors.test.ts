import { expect, test } from 'vitest'
import { isDatabaseAway } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ...['08006', '57P01', '57PMV', '53300', '25006', '25P03', '25P04', '40001'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'EHOSTDOWN',
  ],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'P1001', 'P1008', 'P1017'],
])('code %s means that the database is away for the moment', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true)
})

const fromPrisma = (code: string, cause: object) =>
  Object.assign(new Error('x'), {
    code,
    meta: { driverAdapterError: Object.assign(new Error('x'), { cause }) },
  })

test.each([
  ['P2010', { originalCode: '57P01', kind: 'postgres' }],
  ['P2010', { kind: 'DatabaseNotReachable' }],
  ['P2010', { kind: 'ConnectionClosed' }],
  ['P2010', { kind: 'SocketTimeout' }],
  ['P2034', { originalCode: '40001', kind: 'TransactionWriteConflict' }],
  ['P2037', { originalCode: '53300', kind: 'TooManyConnections' }],
  ['P2039', { originalCode: '08P01', kind: 'postgres' }],
])('code %s of Prisma for %j means that the database is away for the moment', (code, cause) => {
  expect(isDatabaseAway(fromPrisma(code, cause))).toBe(true)
})

test.each([
  ['P2002', { originalCode: '23505', kind: 'UniqueConstraintViolation' }],
  ['P2010', { originalCode: '42P01', kind: 'TableDoesNotExist' }],
  ['P2034', { originalCode: '40P01', kind: 'TransactionWriteConflict' }],
])('code %s of Prisma for %j is a failure of the statement', (code, cause) => {
  expect(isDatabaseAway(fromPrisma(code, cause))).toBe(false)
})

test('a COMMIT that Prisma could not send means that the database is away for the moment', () => {
  const cause = { originalCode: '57P01', kind: 'postgres' }
  expect(isDatabaseAway(Object.assign(new Error('x'), { cause }))).toBe(true)
})

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
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'connect ENOENT /run/postgresql/.s.PGSQL.5432',
  'There was an error establishing an SSL connection',
  'cannot execute INSERT in a read-only transaction',
  'Transaction API error: Unable to start a transaction in the given time.',
  'Transaction API error: A commit cannot be executed on an expired transaction. The timeout for this transaction was 20000 ms',
])('the message %j means that the database is away for the moment', (message) => {
  expect(isDatabaseAway(new Error(message))).toBe(true)
})
