import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { toolServer } from './tool-server.ts'

const [folder = '.'] = process.argv.slice(2)
await toolServer(folder).connect(new StdioServerTransport())
