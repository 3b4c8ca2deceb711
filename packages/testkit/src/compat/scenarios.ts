import { CALL_SCENARIOS } from './call-scenarios.ts'
import { CONTENT_SCENARIOS } from './content-scenarios.ts'
import { CONTROL_SCENARIOS } from './control-scenarios.ts'
import { FEEDBACK_SCENARIOS } from './feedback-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { STOP_SCENARIOS } from './stop-scenarios.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...CALL_SCENARIOS,
  ...CONTENT_SCENARIOS,
  ...FEEDBACK_SCENARIOS,
  ...STOP_SCENARIOS,
  ...CONTROL_SCENARIOS,
]
