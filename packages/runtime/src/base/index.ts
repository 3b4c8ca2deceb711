export { backoffMs } from './backoff.ts'
export type { Diagnostic, OnDiagnostic } from './diagnostic.ts'
export {
  describeError,
  GuardrailError,
  type GuardrailErrorCode,
  readErrorCode,
} from './guardrail-error.ts'
export { endWithAnswers, isSameSecret, readBearer, readBody, requestUrl } from './http-server.ts'
export { awaitedSleep, sleep } from './sleep.ts'
export { SDK_VERSION } from './version.ts'
