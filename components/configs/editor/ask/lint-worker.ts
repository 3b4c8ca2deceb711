// Searches in a worker, so that typing goes on meanwhile.
import { type ConfigDocument, compileConfig, type Problem } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { listProvenProblems } from '@signalbox/core/prove'

const MOST_STATES = 20_000
const MOST_MS = 5000

function listProblems(document: ConfigDocument): readonly Problem[] {
  const compiled = compileConfig(document, { expressions: celExpressions(), customTypes: 'any' })
  if (!compiled.ok) return []
  const end = performance.now() + MOST_MS
  return listProvenProblems(compiled.config, {
    mostStates: MOST_STATES,
    isAborted: () => performance.now() > end,
  })
}

addEventListener('message', ({ data }: MessageEvent<ConfigDocument>) =>
  postMessage(listProblems(data)),
)
