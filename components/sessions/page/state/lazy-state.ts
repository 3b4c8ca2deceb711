// All parts of the session page that need core, as one chunk: two lazy imports would each contain a copy of the engine.
import { StatePane } from './state-pane.tsx'
import { Timeline } from './timeline.ts'

export const LAZY_STATE = { StatePane, Timeline }
