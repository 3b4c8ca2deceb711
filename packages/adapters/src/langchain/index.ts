export { LANGCHAIN_CAPABILITIES, LANGCHAIN_PROFILE } from './capabilities.ts'
export { type GuardOptions, guardMiddleware } from './guard-middleware.ts'
