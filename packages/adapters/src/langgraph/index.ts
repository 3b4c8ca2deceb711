export { LANGGRAPH_CAPABILITIES, LANGGRAPH_PROFILE } from './capabilities.ts'
export {
  type GraphGuard,
  type GuardGraphOptions,
  guardGraph,
  type StopRoute,
} from './guard-graph.ts'
