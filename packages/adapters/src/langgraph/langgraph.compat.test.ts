import { compatibility } from '../test/compatibility.ts'
import { langgraphDriver } from './test/langgraph-driver.ts'

compatibility(langgraphDriver)
