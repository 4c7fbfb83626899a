/** The package brings no types of its own. */
declare module "healthchecks-io-client" {
  const client: {
    HealthChecksPingClient: new (options: {
      baseUrl: string;
      uuid: string;
      returnResponse: boolean;
    }) => {
      start(): Promise<string>;
      success(payload?: string): Promise<string>;
      fail(payload?: string): Promise<string>;
    };
  };
  export default client;
}
