import { compatibility } from '../test/compatibility.ts'
import { aiSdkDriver, aiSdkStreamDriver } from './test/ai-sdk-driver.ts'

compatibility(aiSdkDriver)
compatibility(aiSdkStreamDriver)
