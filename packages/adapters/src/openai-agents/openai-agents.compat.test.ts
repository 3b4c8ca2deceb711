import { compatibility } from '../test/compatibility.ts'
import { openaiAgentsDriver, openaiAgentsStreamDriver } from './test/openai-agents-driver.ts'

compatibility(openaiAgentsDriver)
compatibility(openaiAgentsStreamDriver)
