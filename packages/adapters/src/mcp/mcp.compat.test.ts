import { compatibility } from '../test/compatibility.ts'
import { mcpHttpDriver, mcpStdioDriver } from './test/mcp-driver.ts'

compatibility(mcpStdioDriver)
compatibility(mcpHttpDriver)
