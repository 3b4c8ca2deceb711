// @ts-check
import fs from 'node:fs'
import { describeError, Failure } from '../server/platform/base/failure.mjs'
import { problemsIn, variables } from '../server/platform/base/variables.mjs'

/** @typedef {import('../server/platform/base/variables.mjs').Given} Given */

/**
 * Returns the variables that are set: an empty one is not, and NAME_FILE stands for the content of that file. Throws with one sentence per
 * invalid variable.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {Given}
 */
export function readVariables(environment) {
  /** @type {Record<string, string>} */
  const given = {}
  /** @type {string[]} */
  const problems = []
  for (const { name, secret } of variables()) {
    try {
      const value =
        secret === true ? readSecretVariable(environment, name) : (environment[name] ?? '')
      if (value !== '') given[name] = value
    } catch (error) {
      problems.push(describeError(error))
    }
  }
  problems.push(...problemsIn(given))
  if (problems.length > 0) throw new Failure('badConfiguration', problems.join('\n'))
  return given
}

/** Throws with a sentence. @param {Readonly<Record<string, string | undefined>>} environment @param {string} name */
function readSecretVariable(environment, name) {
  const value = environment[name] ?? ''
  const file = environment[`${name}_FILE`] ?? ''
  if (file === '') return value
  if (value !== '') throw new Error(`${name} and ${name}_FILE are both set: remove one of them.`)
  const text = readSecretFile(`${name}_FILE`, file)
  if (text === '') throw new Error(`${name}_FILE names ${file}, which is empty.`)
  return text
}

/** @param {string} name @param {string} file */
function readSecretFile(name, file) {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`${name} names ${file}, which cannot be read: ${describeError(error)}.`)
  }
}
