import { compatibility } from '../test/compatibility.ts'
import { langchainDriver } from './test/langchain-driver.ts'

compatibility(langchainDriver)
