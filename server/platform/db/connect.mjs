// @ts-check
import pg from 'pg'
import { describeError, Failure } from '../base/failure.mjs'

/**
 * @param {string} url
 * @param {string} variable that holds it
 * @param {pg.ClientConfig} [more]
 */
export async function connect(url, variable, more = {}) {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      ...more,
    })
    // The rejection of the current statement reports the error.
    client.on('error', () => undefined)
    await client.connect()
    return client
  } catch (error) {
    throw new Failure(
      'databaseUnreachable',
      `The database at ${describeDatabase(url, variable)} cannot be reached: ${describeError(error)}. Check ${variable} and that the server runs.`,
    )
  }
}

/** Host, port and database without credentials; the variable's name when the URL cannot be parsed. @param {string} url @param {string} variable */
function describeDatabase(url, variable) {
  try {
    const { hostname, port, pathname } = new URL(url)
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`
  } catch {
    return variable
  }
}
