// Everything of a session's page that needs core, as one late program: two late imports would each bring their own copy of the engine.
import { StatePane } from './state-pane.tsx'
import { Timeline } from './timeline.ts'

export const LATE_STATE = { StatePane, Timeline }
