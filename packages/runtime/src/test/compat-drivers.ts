// Every harness of the compatibility matrix, in its order.
import type { CompatHarness } from '@signalbox/testkit'
import { mcpHttpDriver, mcpStdioDriver } from '../mcp/test/mcp-driver.ts'
import { opencodeDriver } from '../opencode/test/opencode-driver.ts'

export const DRIVERS: readonly CompatHarness[] = [mcpStdioDriver, mcpHttpDriver, opencodeDriver]
