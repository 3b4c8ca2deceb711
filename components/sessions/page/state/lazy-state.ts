// Everything of a session's page that needs core, as one chunk: two lazy imports would each bring their own copy of the engine.
import { StatePane } from './state-pane.tsx'
import { Timeline } from './timeline.ts'

export const LAZY_STATE = { StatePane, Timeline }
