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
 * @property {number} togetherMs for all of them
 */

/** @type {Work} */
const { document, questions, mostMs, togetherMs } = workerData
// A rule of a custom type may answer in both ways.
const compiled = compileConfig(document, { expressions: celExpressions(), customTypes: 'any' })
if (!compiled.ok) throw new Error('The config does not compile.')
const { config } = compiled

/** @param {import('@signalbox/core/prove').Question} question @param {number} ms time that it may take @returns {Found} */
function answer(question, ms) {
  const fault = findQuestionFault(config, question)
  if (fault !== null) return { fault }
  const end = performance.now() + ms
  return { answer: prove(config, question, { isAborted: () => performance.now() > end }) }
}

// Hard ones leave time for those that come later.
const last = performance.now() + 0.9 * togetherMs
for (const [i, question] of questions.entries()) {
  const share = (last - performance.now()) / (questions.length - i)
  parentPort?.postMessage(answer(question, Math.min(mostMs, Math.max(share, 0))))
}
