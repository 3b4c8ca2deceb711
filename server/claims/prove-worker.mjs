// @ts-check
// A worker thread that answers questions about every run of one config, in order. Node.js runs it as it is, with the built packages: the
// search takes seconds, in which the server must answer other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { findQuestionFault, prove } from '@signalbox/core/prove'

/**
 * @typedef {{ readonly answer: import('@signalbox/core/prove').Answer }
 *   | { readonly fault: import('@signalbox/core/prove').QuestionFault }} Found
 * @typedef {object} Work
 * @property {import('@signalbox/core').ConfigDocument} document
 * @property {readonly import('@signalbox/core/prove').Question[]} questions
 * @property {number} mostMs for each question
 */

/** @type {Work} */
const { document, questions, mostMs } = workerData
// A rule of a custom type may answer in both ways.
const compiled = compileConfig(document, { expressions: celExpressions(), customTypes: 'any' })
if (!compiled.ok) throw new Error('The config does not compile.')
const { config } = compiled

/** @param {import('@signalbox/core/prove').Question} question @returns {Found} */
function answer(question) {
  const fault = findQuestionFault(config, question)
  if (fault !== null) return { fault }
  const end = performance.now() + mostMs
  return { answer: prove(config, question, { isAborted: () => performance.now() > end }) }
}

for (const question of questions) parentPort?.postMessage(answer(question))
